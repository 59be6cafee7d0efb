import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The verbs `record` and `replay`, their exact output and exit codes.
@Suite(.timeLimit(.minutes(10)))
struct RecordingCommandTests {
  /// A file name beside a new temporary ledger, which must live as long as the file.
  private let place: TemporaryLedger
  private var file: String { place.path + ".jsonl" }

  init() throws {
    place = try TemporaryLedger()
  }

  /// A ledger with work, the same in every run but for the process and the host.
  private static func ledger() async throws -> WorkHistoryLedger {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(label: "the order of Juliet")
    try ledger.add(WorkStarted(attempt: 1), at: 1)
    try ledger.step(StepIdentity("pack"), 1, from: 1, to: 2, "\"3 roses\"")
    try ledger.settle(byAttempt: 1, at: 3)
    return ledger
  }

  /// A text in an object of JSON.
  private func member(_ name: String, of output: String) -> String {
    guard let start = output.firstRange(of: "\"\(name)\":\"")?.upperBound else { return "" }
    return String(output[start...].prefix { $0 != "\"" })
  }

  @Test func aLedgerIsRecordedAndReplayed() async throws {
    let ledger = try await Self.ledger()
    let recorded = try CommandRun("record", ledger.path, "-o", file)
    let digest = try CommandRun("digest", ledger.path, "--format", "json").output
    let (id, log) = (member("ledger", of: digest), member("logDigest", of: digest))
    let size = try Data(contentsOf: URL(filePath: file)).count
    #expect(
      recorded.output == """
        recording   \(file)
        ledger      \(id)
        records     0
        events      7
        bytes       \(size)
        redacted    no
        log digest  \(log)

        """)
    #expect(recorded.notes == "" && recorded.status == 0)
    let replayed = try CommandRun("replay", file)
    #expect(
      replayed.output == """
        recording         \(file)
        ledger            \(id)
        events            7
        position          7
        redacted          no
        recorded digests  7
        log digest        \(log)
        state digest      \(member("stateDigest", of: digest))
        divergences       0
        situations        7
                          event             state    kind   count
                          ledgerCreated     absent   -          1
                          sessionOpened     absent   -          1
                          sessionClosed     open     -          1
                          promiseCreated    absent   order      1
                          promiseResolved   running  order      1
                          workStarted       waiting  order      1
                          workStepFinished  running  order      1

        """)
    #expect(replayed.notes == "" && replayed.status == 0)
  }

  @Test func aRecordingIsAnArchive() async throws {
    let sample = try await SampleLedger()
    #expect(try CommandRun("record", sample.path, "-o", file).status == 0)
    #expect(try CommandRun("import", place.path, file).status == 0)
    let export = try CommandRun("export", sample.path).output
    #expect(try CommandRun("export", place.path).output == export)
  }

  @Test func redactionSaysSoAndIsAnArchive() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("record", sample.path, "-o", file, "--redact", "--format", "json")
    #expect(run.status == 0 && run.notes == "")
    #expect(run.output.contains("\"redacted\":true"))
    let replayed = try CommandRun("replay", file, "--format", "json")
    #expect(replayed.status == 0, "\(replayed.output)")
    #expect(replayed.output.contains("\"divergences\":[]"))
    #expect(replayed.output.contains("\"redacted\":true"))
    #expect(try CommandRun("import", place.path, file).status == 0)
    #expect(try CommandRun("verify", place.path).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let other = place.path + ".2"
    #expect(try CommandRun("record", sample.path, "-o", other, "--redact").status == 0)
    #expect(try String(contentsOfFile: other, encoding: .utf8) != text, "another salt")
  }

  @Test func aDivergenceIsAFinding() async throws {
    let ledger = try await Self.ledger()
    try ledger.append([
      NewEvent(
        kind: EventKind(rawValue: 999), version: 1, time: WorkHistoryLedger.time(4),
        subject: WorkHistoryLedger.id(1), payload: [1])
    ])
    #expect(try CommandRun("record", ledger.path, "-o", file).status == 0)
    let run = try CommandRun("replay", file)
    #expect(run.status == 1 && run.notes == "promise-ledger: Divergences: 1.\n")
    #expect(run.output.contains("unknownEvent at position 8\n"), "\(run.output)")
    #expect(run.output.contains("  expected an event of a known kind and version\n"))
    let json = try CommandRun("replay", file, "--format", "json")
    #expect(json.status == 1 && json.output.contains("\"kind\":\"unknownEvent\""))
  }

  @Test func badInputHasItsExitCode() async throws {
    let ledger = try await Self.ledger()
    #expect(try CommandRun("record", ledger.path, "-o", file).status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let bad = place.path + ".bad"
    for (content, status) in [
      ("", Int32(5)), (String(text.dropLast(100)), 5),
      (text.replacing("\"version\":1,\"ledger\"", with: "\"version\":9,\"ledger\""), 6),
      (text.replacing("\"type\":\"state\"", with: "\"type\":\"later\""), 6),
    ] {
      try content.write(toFile: bad, atomically: true, encoding: .utf8)
      let run = try CommandRun("replay", bad)
      #expect(run.status == status && run.notes.hasPrefix("promise-ledger: \(bad): "))
      #expect(run.output.hasPrefix("recording  \(bad)\nerror      "))
      let both = try CommandRun("replay", file, bad, "--format", "jsonl")
      #expect(both.status == status && both.output.split(separator: "\n").count == 2)
    }
    #expect(try CommandRun("replay", file + ".none").status == 3)
    #expect(try CommandRun("replay", "/tmp").status == 74)
    #expect(try CommandRun("replay").status == 2)
    #expect(try CommandRun("record", ledger.path).status == 2)
    #expect(try CommandRun("record", ledger.path, "-o", file).status == 0, "the same recording")
    #expect(try CommandRun("record", ledger.path, "-o", bad).status == 2)
    #expect(try CommandRun("record", ledger.path, "-o", "/none/x").status == 3)
    let stream = try CommandRun("record", ledger.path, "-o", "-")
    #expect(stream.status == 2 && stream.notes.contains("A recording is written to a file"))
    #expect(try CommandRun("record", file + ".none", "-o", bad + "2").status == 3)
    #expect(try CommandRun(intoClosedPipe: "replay", file).status == 0)
    #expect(try CommandRun(intoClosedPipe: "record", ledger.path, "-o", bad + "3").status == 0)
  }

  @Test(arguments: ["record", "report"])
  func nothingIsWrittenIntoTheLedger(verb: String) async throws {
    let ledger = try await Self.ledger()
    let before = try FileManager.default.subpathsOfDirectory(atPath: ledger.path)
    for directory in ["", "/generation-000001"] {
      let run = try CommandRun(verb, ledger.path, "-o", "\(ledger.path)\(directory)/x")
      #expect(run.status == 2 && run.notes.contains("Nothing can be written into the ledger"))
    }
    #expect(try FileManager.default.subpathsOfDirectory(atPath: ledger.path) == before)
  }

  @Test(.enabled(if: geteuid() != 0)) func withoutRightsNothingIsRead() async throws {
    try "x".write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
    #expect(try CommandRun("replay", file).status == 74)
  }

  @Test func noFlippedBitGoesUnnoticed() async throws {
    let ledger = try await Self.ledger()
    #expect(try CommandRun("record", ledger.path, "-o", file).status == 0)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    // Many files in one run: a process for each would take long.
    var paths: [String] = []
    for seed in 1...UInt64(TestAmount.of(300)) {
      var generator = SeededGenerator(seed: seed)
      var damaged = bytes
      damaged[Int.random(in: bytes.indices, using: &generator)] ^=
        1 << UInt8.random(in: 0..<8, using: &generator)
      let path = "\(place.path).\(seed)"
      try Data(damaged).write(to: URL(filePath: path))
      paths.append(path)
    }
    let run = try CommandRun(["replay", "--format", "jsonl"] + paths)
    #expect(run.status == 5)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == paths.count)
    for (seed, line) in lines.enumerated() {
      #expect(line.contains("\"error\":"), "seed \(seed + 1)")
    }
  }
}
