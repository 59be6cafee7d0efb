import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `export --redact` and `export --subject`.
@Suite(.timeLimit(.minutes(10)))
struct RedactedExportTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func path(_ name: String) -> String { "\(directory.path)/\(name)" }

  private func write(_ text: String, to name: String) throws -> String {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    return path(name)
  }

  /// The subjects of the events of an archive or excerpt.
  private static func subjects(_ text: String) -> [String] {
    text.matches(of: #/"type":"event".*"subject":"([^"]*)"/#).map { String($0.output.1) }
  }

  @Test func itMakesALedgerThatSaysNothing() async throws {
    let sample = try await SampleLedger()
    let plain = try CommandRun("export", sample.path)
    // By chance, a replacement could be one of the short texts; with this secret, none is.
    let secret = try write("a secret of some length", to: "secret")
    let run = try CommandRun(
      "export", sample.path, "--redact", "--secret", secret, "-o", path("a.gz"))
    #expect(run.output == "" && run.notes == "" && run.status == 0)
    let imported = try CommandRun("import", path("ledger"), path("a.gz"))
    #expect(imported.status == 0 && imported.notes == "")
    #expect(try CommandRun("verify", path("ledger")).status == 0)
    let texts = ["room", "Remove the", "entry", "Zoë", "the user left", "not needed"]
    for text in texts {
      #expect(try CommandRun("log", sample.path, "--format", "jsonl").output.contains(text))
      #expect(try !CommandRun("log", path("ledger"), "--format", "jsonl").output.contains(text))
      #expect(try !CommandRun("state", path("ledger"), "--format", "jsonl").output.contains(text))
    }
    let redacted = try CommandRun("export", path("ledger")).output
    #expect(Self.subjects(redacted) == Self.subjects(plain.output))
  }

  @Test func theSameSecretMakesThemComparable() async throws {
    let sample = try await SampleLedger()
    let secrets = try ["a secret of some length", "a secret of another length"].enumerated().map {
      try write($1, to: "secret-\($0)")
    }
    func export(_ words: String...) throws -> String {
      let run = try CommandRun(["export", sample.path, "--redact"] + words)
      #expect(run.status == 0 && run.notes == "")
      return run.output
    }
    let first = try export("--secret", secrets[0])
    #expect(try export("--secret", secrets[0]) == first)
    #expect(try export("--secret", secrets[1]) != first)
    #expect(try export() != export())
    // Recordings are redacted by the same rule.
    let recorded = try CommandRun(
      "record", sample.path, "--redact", "--secret", secrets[0], "-o", path("recording"))
    #expect(recorded.status == 0)
    let lines = try String(contentsOfFile: path("recording"), encoding: .utf8)
      .split(separator: "\n").filter { $0.hasPrefix("{\"type\":\"event\"") }
    #expect(lines == first.split(separator: "\n").filter { $0.hasPrefix("{\"type\":\"event\"") })
  }

  @Test func secretsThatCannotBeUsedAreRefused() async throws {
    let sample = try await SampleLedger()
    let short = try write("too short", to: "short")
    let large = try write(String(repeating: "x", count: 1 << 20 + 1), to: "large")
    for secret in [short, large] {
      let run = try CommandRun("export", sample.path, "--redact", "--secret", secret)
      #expect(
        run.notes == """
          promise-ledger: The secret \(secret) must have between 16 and 1048576 bytes.

          """)
      #expect(run.status == 2 && run.output == "")
    }
    for secret in [path("none"), directory.path] {
      let run = try CommandRun("export", sample.path, "--redact", "--secret", secret)
      #expect(
        run.notes
          == "promise-ledger: The secret \(secret) cannot be read. Give a readable file.\n")
      #expect(run.status == 2 && run.output == "")
    }
    #expect(try CommandRun("export", sample.path, "--secret", short).status == 2)
  }

  @Test func oneSubjectComesWithItsRelations() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, "order", label: "the order of Juliet")
    try ledger.createPromise(2, parent: 1, label: "a child of Juliet", at: 1)
    try ledger.create(3, "mail", .after(WorkHistoryLedger.promise(2), .any), at: 2)
    try ledger.createPromise(4, label: "alone", at: 3)
    let ids = (1...4).map { WorkHistoryLedger.id(UInt64($0)).description }
    let related = try CommandRun("export", ledger.path, "--subject", ids[2])
    #expect(related.notes == "" && related.status == 0)
    #expect(related.output.hasPrefix(#"{"type":"header","format":"promise-ledger-excerpt""#))
    #expect(related.output.contains(#""purpose":"subject"}"#))
    #expect(Self.subjects(related.output) == Array(ids[..<3]))
    let alone = try CommandRun("export", ledger.path, "--subject", ids[3])
    #expect(Self.subjects(alone.output) == [ids[3]])
    // Its lines are those of the archive.
    let whole = try CommandRun("export", ledger.path).output.split(separator: "\n")
    #expect(alone.output.split(separator: "\n").dropFirst().dropLast().allSatisfy(whole.contains))

    let archive = try write(related.output, to: "excerpt")
    let imported = try CommandRun("import", path("ledger"), archive)
    #expect(
      imported.notes == """
        promise-ledger: corrupt: Line 1 of the archive is damaged: it says that this is an excerpt, of which no ledger can be made. Nothing was imported.

        """)
    #expect(imported.status == 5)
    #expect(try CommandRun("export", ledger.path, "--subject", "nothing-has-this").status == 3)

    let secret = try write("sixteen bytes and more", to: "secret")
    let words = ["export", ledger.path, "--redact", "--secret", secret]
    let redacted = try CommandRun(words + ["--subject", ids[2]])
    #expect(Self.subjects(redacted.output) == Array(ids[..<3]) && redacted.status == 0)
    let all = try CommandRun(words).output.split(separator: "\n")
    let lines = redacted.output.split(separator: "\n").dropFirst().dropLast()
    #expect(lines.count == 3 && lines.allSatisfy(all.contains))
    // The last one has no texts.
    #expect(!lines.dropLast().contains { whole.contains($0) })
  }

  /// What work awaited still belongs to it once it runs, and once it has ended.
  @Test func workKeepsTheRelationToWhatItAwaited() async throws {
    let ledger = try await WorkHistoryLedger()
    let ids = Set((1...2).map { WorkHistoryLedger.id(UInt64($0)).description })
    try ledger.createPromise(1)
    try ledger.create(2, "mail", .after(WorkHistoryLedger.promise(1), .any), at: 1)
    try ledger.settle(1, at: 2)
    try ledger.add(WorkStarted(attempt: 1), on: 2, at: 3)
    for state in ["running", "ended"] {
      if state == "ended" { try ledger.settle(2, byAttempt: 1, at: 4) }
      for id in ids {
        let related = try CommandRun("export", ledger.path, "--subject", id)
        #expect(Set(Self.subjects(related.output)) == ids, "\(state)")
      }
    }
  }

  @Test func aSessionIsNoSubject() async throws {
    let sample = try await SampleLedger()
    let session = "019b76da-a800-7000-8700-000000000002"
    let run = try CommandRun("export", sample.path, "--subject", session)
    #expect(
      run.notes == "promise-ledger: \(session) is a session. Name a promise or a handler.\n")
    #expect(run.output == "" && run.status == 2)
  }

  @Test func aKeyNamesTheSubjectOfARedactedExcerpt() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(
      "export", sample.path, "--redact", "--subject", "avatar/room@example.org")
    #expect(run.notes == "" && run.status == 0)
    #expect(Set(Self.subjects(run.output)).count == 1)
    #expect(Self.subjects(run.output).count == 3)
  }
}
