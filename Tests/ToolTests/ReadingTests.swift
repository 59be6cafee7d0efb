import Foundation
import LedgerLMDB
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// How the tool reads: in a process of its own, without a trace.
@Suite(.timeLimit(.minutes(10)))
struct ReadingTests {
  private static let verbs = [
    ["log"], ["stats"], ["verify"], ["digest"], ["promises"], ["handlers"], ["export"],
    ["show", "--key", "avatar/room@example.org"], ["compact"],
  ]

  private static func command(_ verb: [String], _ path: String) -> [String] {
    [verb[0], path] + verb.dropFirst()
  }

  @Test(arguments: verbs)
  func directoryWithoutPermissionToWriteCanBeRead(verb: [String]) async throws {
    let sample = try await SampleLedger()
    let normal = try CommandRun(Self.command(verb, sample.path))
    let before = try contents(of: sample.path)
    let run = try CommandRun(Self.command(verb, sample.path) + ["--without-lock"])
    #expect(run.output == normal.output)
    #expect(run.status == 0)
    #expect(try contents(of: sample.path) == before)
  }

  @Test(arguments: verbs)
  func closedPipeIsNoFailure(verb: [String]) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(intoClosedPipe: Self.command(verb, sample.path))
    // The verified part is still reported.
    #expect(run.notes == "" || verb == ["verify"] || verb == ["compact"])
    #expect(run.status == 0)
  }

  @Test(arguments: verbs)
  func ledgerWithoutEventsIsFine(verb: [String]) throws {
    let archive = """
      {"type":"header","format":"promise-ledger-archive","version":1,"ledger":"01900000-004d-7000-8000-000000000001","createdAt":5,"basePosition":0,"baseDigest":"\(String(repeating: "0", count: 64))"}

      """
    let temporary = try TemporaryLedger()
    let digest = String(repeating: "0", count: 64)
    let hash = "a6b574ba206d36c2ab1a0f98ed70032892f72794d80fc1b582527f8b1fc8ad03"
    let file = temporary.path + ".jsonl"
    let end =
      #"{"type":"end","events":0,"records":0,"logDigest":"\#(digest)","sha256":"\#(hash)"}"# + "\n"
    try (archive + end).write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try CommandRun("import", temporary.path, file).status == 0)
    let run = try CommandRun(Self.command(verb, temporary.path))
    #expect(run.status == (verb[0] == "show" ? 3 : 0))
    switch verb[0] {
    case "log": #expect(run.output.split(separator: "\n").count == 1)
    case "export": #expect(run.output == archive + end)
    case "digest": #expect(run.output.contains("position      0\n"))
    case "promises", "handlers": #expect(run.output.split(separator: "\n").count == 1)
    case "stats": #expect(run.output.contains("\nevents              0\n"))
    case "compact": #expect(run.notes == "promise-ledger: There is nothing to do.\n")
    case "verify": #expect(run.notes.contains("0 events in 0 frames"))
    default: break
    }
  }

  // MARK: The child's end

  @Test(arguments: verbs)
  func aNewerFormatHasAStatusOfItsOwn(verb: [String]) async throws {
    let sample = try await SampleLedger()
    try makeFormatNewer(of: sample.path)
    let run = try CommandRun(Self.command(verb, sample.path))
    #expect(run.output == "")
    #expect(run.notes.contains(": The ledger has format version 2; "))
    #expect(run.status == 6)
  }

  @Test func crashWhileReadingIsAFinding() async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path)
    try run.waitForOutput("sessionClosed")
    // Not SIGSEGV: a sanitizer would take that for itself and end the process in its own way.
    run.signalChild(SIGTRAP)
    #expect(try run.end() == 5)
    #expect(
      run.notes
        == "promise-ledger: Reading the ledger crashed (signal 5). The ledger is most likely damaged: verify it, and restore it from a copy. The output is incomplete.\n"
    )
    #expect(run.output.hasSuffix("},\n{\"incomplete\":true}\n]\n"), "an array that says so")
  }

  @Test func hangWhileReadingIsAFinding() async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path, "--timeout", "1")
    try run.waitForOutput("sessionClosed")
    run.signalChild(SIGSTOP)
    #expect(try run.end() == 5)
    #expect(
      run.notes
        == "promise-ledger: The process that reads the ledger made no progress for 1.0 seconds and was ended. The disk may be slow, or the ledger may be damaged: raise --timeout, and if that does not help, verify the ledger. The output is incomplete.\n"
    )
    #expect(run.output.hasSuffix("},\n{\"incomplete\":true}\n]\n"))
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func signalEndsBoth(signal: Int32) async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path)
    try run.waitForOutput("sessionClosed")
    let child = run.childID
    run.signal(signal)
    #expect(try run.end() == -signal)
    #expect(run.notes == "")
    #expect(run.output.hasSuffix("}\n]\n") && !run.output.contains("incomplete"))
    #expect(kill(child, 0) == -1, "the child is gone")
  }

  /// With more output than pipes take, so that the command cannot come to its end.
  @Test(arguments: [
    ("table", "(incomplete: the rest cannot be read)\n"), ("json", ",\n{\"incomplete\":true}\n]\n"),
    ("jsonl", "}\n{\"incomplete\":true}\n"),
  ])
  func anInterruptedListSaysThatItIsIncomplete(format: String, mark: String) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    try await withThrowingTaskGroup { group in
      for _ in 0..<400 {
        group.addTask {
          let promise = try await ledger.createPromise(of: Int.self)
          try await promise.abandon(reason: String(repeating: "x", count: 2_000))
        }
      }
      try await group.waitForAll()
    }
    await ledger.close()
    let run = try FollowingRun(["log", temporary.path, "--format", format])
    try run.waitForOutput("xxx")
    run.signal(SIGINT)
    #expect(try run.end() == -SIGINT)
    #expect(run.notes == "promise-ledger: Interrupted. The output is incomplete.\n")
    #expect(run.output.hasSuffix(mark))
  }

  @Test func followPrintsWhatComes() async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path, "--after", "17", "--limit", "2")
    let app = try await sample.open()
    try run.waitForOutput("sessionOpened")
    await app.close()
    #expect(try run.end() == 0)
    #expect(run.output.contains("sessionClosed"))
  }

  /// What is open can still be read, but nothing more comes.
  @Test func followEndsIfTheLedgerIsRemoved() async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path)
    try run.waitForOutput("sessionClosed")
    try FileManager.default.removeItem(atPath: sample.path)
    #expect(try run.end() == 3)
    #expect(
      run.notes
        == "promise-ledger: The ledger \(sample.path) was removed while it was shown. The output is incomplete.\n"
    )
  }

  @Test func followEndsIfTheLedgerIsReplaced() async throws {
    let sample = try await SampleLedger()
    let run = try FollowingRun(sample.path)
    try run.waitForOutput("sessionClosed")
    try replaceByCopy(sample.path)
    #expect(try run.end() == 5)
    #expect(
      run.notes
        == "promise-ledger: The ledger \(sample.path) was replaced while it was shown. Start the command again. The output is incomplete.\n"
    )
  }

  #if os(Linux)
    /// The message tells of a way only if the command can take it. Root has all rights, so it becomes another user.
    @Test(arguments: ["log", "explain", "retry"])
    func aMissingRightIsSaidOnce(verb: String) async throws {
      let sample = try await SampleLedger()
      let parent = URL(fileURLWithPath: sample.path).deletingLastPathComponent().path
      let user = geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups" : ""
      let arguments = verb == "log" ? [] : ["4b20"]
      let run = try CommandRun(
        [
          "-c", "chmod 755 '\(parent)'; chmod -R a-w,a+rX '\(sample.path)'; \(user) \"$0\" \"$@\"",
          CommandRun.program.path, verb, sample.path,
        ] + arguments, of: URL(fileURLWithPath: "/bin/sh"))
      let way =
        verb == "retry" ? "" : " If no process has the ledger open, --without-lock only reads."
      #expect(
        run.notes == """
          promise-ledger: permissionDenied: Permission to open the ledger \(sample.path) is denied. Run the command as a user who may read and write its files.\(way)

          """)
      #expect(run.status == 74)
      _ = try CommandRun(
        ["-R", "u+w", sample.path], of: URL(fileURLWithPath: "/bin/chmod"))
    }
  #endif

  private func makeFormatNewer(of path: String) throws {
    let inspector = try BlockingInspector(at: path)
    var metadata = LedgerMetadata(ledgerID: inspector.id, createdAt: inspector.createdAt)
    metadata.formatVersion += 1
    let environment = try Environment.open(
      at: path + "/generation-000001", tables: [TableDescription("meta", keys: .bytes)])
    let table = try environment.table(named: "meta")
    let (key, record) = (LedgerMetadata.key, metadata.encoded)
    try environment.write { transaction in
      try transaction.put(record.span, forKey: key.span, in: table)
    }
    try environment.close()
  }

  private func contents(of path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      contents[name] = FileManager.default.contents(atPath: path + "/" + name) ?? Data()
    }
    return contents
  }
}
