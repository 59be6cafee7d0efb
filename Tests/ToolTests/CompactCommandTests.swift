import Foundation
import LedgerLMDB
import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

/// `compact`: its output, its effects, and the things that it leaves alone.
@Suite(.timeLimit(.minutes(10)))
struct CompactCommandTests {
  private static let all = [
    "--keep-events-for", "0", "--keep-events", "0", "--keep-records-for", "0s",
  ]

  @Test func planListsRemovedAndKeptRecords() async throws {
    let sample = try await CompactedSampleLedger()
    let before = try sample.data
    let run = try CommandRun("compact", sample.path)
    #expect(
      run.output == """
        ledger             019b76da-a800-7000-8700-000000000001
        head               27
        snapshot           20
        events to fold     7
        records to remove  0
        events to delete   0
        bytes to delete    0
        deleted through    19
        events kept        8: the newest 1000, those of the last 7 d, and always the last frame
        records kept       everything that is open or ended in the last 30 d, and a tombstone for each removed key
        records needed     1, old enough to be removed, but something open refers to them

        """)
    #expect(run.notes == "promise-ledger: Nothing was changed. To compact, add --apply.\n")
    #expect(run.status == 0)
    let json = try CommandRun(["compact", sample.path, "--format", "json"] + Self.all)
    #expect(
      json.output == """
        {"bytesToDelete":1008,"deletedThrough":26,"eventsKept":1,"eventsToDelete":7,"eventsToFold":7,"head":27,"isEmpty":false,"ledger":"019b76da-a800-7000-8700-000000000001","policy":{"eventRetentionInSeconds":0,"minimumEventCount":0,"recordRetentionInSeconds":0},"recordsNeeded":1,"recordsToRemove":0,"snapshotPosition":20}

        """)
    let fold = try CommandRun("compact", sample.path, "--fold-only")
    #expect(fold.output.contains("events kept        8, all\nrecords kept       all\n"))
    #expect(try sample.data == before)
  }

  @Test func applyFollowsThePlan() async throws {
    let sample = try await SampleLedger()
    let before = try answers(sample.path)
    let plan = try CommandRun(["compact", sample.path] + Self.all)
    #expect(plan.output.contains("events to fold     17\n"))
    let run = try CommandRun(
      ["compact", sample.path, "--apply", "--progress", "--format", "json"] + Self.all)
    let inspector = try BlockingInspector(at: sample.path)
    let last = Position(rawValue: 19)
    let events = try inspector.events(after: Position(rawValue: 18))
    let lock = try #require(run.output.firstMatch(of: /"longestLockInMicroseconds":([0-9]+)/)?.1)
    let bytes = try #require(run.output.firstMatch(of: /"deletedBytes":([0-9]+)/)?.1)
    let readers = try #require(run.output.firstMatch(of: /"releasedReaders":([0-9]+)/)?.1)
    // The tool opened a session, and the event of its removals is younger than those that it may
    // delete.
    #expect(
      run.output == """
        {"deletedBytes":\(bytes),"deletedEvents":18,"deletedThrough":18,"foldedEvents":19,"ledger":"019b76da-a800-7000-8700-000000000001","logDigest":"\(try inspector.logDigest(through: last))","longestLockInMicroseconds":\(lock),"releasedReaders":\(readers),"removedRecords":2,"snapshotPosition":19,"stateDigest":"\(try inspector.state(at: last).digest())"}

        """)
    #expect(
      run.notes == """
        promise-ledger: Folded 18 of 18 events.
        promise-ledger: Removed 2 of 2 records.
        promise-ledger: Deleted 18 events.

        """)
    #expect(run.status == 0)
    #expect(
      events.map(\.kind)
        == [.retentionApplied, .snapshotTaken, .eventsDeleted, .sessionClosed])
    #expect(try answers(sample.path) == before)
    #expect(try CommandRun("verify", sample.path).status == 0)
  }

  /// The answers that compaction may not change.
  private func answers(_ path: String) throws -> String { try CommandRun("promises", path).output }

  @Test func aTableReportsTheCompaction() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("compact", sample.path, "--apply", "--fold-only")
    let titles = run.output.split(separator: "\n").map { $0.prefix(15) }
    #expect(
      titles.joined(separator: "\n") == """
        ledger         \nsnapshot       \nevents folded  \nrecords removed\nevents deleted \nbytes deleted  \ndeleted through\nstate digest   \nlog digest     \ndead readers   \nlongest lock   
        """)
    #expect(run.output.contains("events folded    18\nrecords removed  0\nevents deleted   0\n"))
    // Standard error is no terminal.
    #expect(run.notes == "")
    #expect(run.status == 0)
    let again = try CommandRun("compact", sample.path, "--fold-only")
    #expect(again.output.contains("events to fold     2\n"))
  }

  @Test func deletedEventsAreArchived() async throws {
    let sample = try await SampleLedger()
    let files = try TemporaryLedger()
    try FileManager.default.createDirectory(
      atPath: files.path, withIntermediateDirectories: false)
    let options = ["--archive", files.path, "--format", "json"] + Self.all
    let name = "019b76da-a800-7000-8700-000000000001-00000000000000000001-"
    let plan = try CommandRun(["compact", sample.path] + options)
    #expect(plan.output.hasPrefix("{\"archivePath\":\"\(files.path)/\(name)"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: files.path) == [])
    let run = try CommandRun(["compact", sample.path, "--apply", "--progress"] + options)
    let archive = "\(files.path)/\(name)00000000000000000018.jsonl"
    #expect(run.output.hasPrefix("{\"archivePath\":\"\(archive)\",\"deletedBytes\":"))
    #expect(run.notes.contains("promise-ledger: Archived 18 of 18 events.\n"))
    #expect(run.status == 0)
    let rest = files.path + "/rest.jsonl"
    try CommandRun("export", sample.path).output.write(
      toFile: rest, atomically: true, encoding: .utf8)
    let whole = try TemporaryLedger()
    let disordered = try CommandRun("import", whole.path, rest, archive)
    #expect(disordered.status == 2 && disordered.notes.contains("\(archive) before \(rest)."))
    let imported = try CommandRun("import", whole.path, archive, archive, rest)
    #expect(imported.status == 0)
    #expect(
      imported.notes
        == "promise-ledger: The archive \(archive) added nothing: the archives before it have all its events.\n"
    )
    #expect(try CommandRun("digest", whole.path).output == CommandRun("digest", sample.path).output)
    let nowhere = try CommandRun(
      [
        "compact", sample.path, "--apply", "--archive", "/dev/null/x",
      ] + Self.all)
    #expect(nowhere.output == "" && nowhere.notes.contains("No event was deleted"))
    #expect(nowhere.status == 74)
  }

  @Test func eachLineAboutDeletionTellsOfTwiceAsMuch() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    // One step deletes 2,000 commits.
    for _ in 0..<4_500 { _ = try await app.createPromise(of: Int.self) }
    await app.close()
    let run = try CommandRun(
      ["compact", temporary.path, "--apply", "--progress"] + Self.all)
    let counts = run.notes.matches(of: /Deleted ([0-9]+) events/).compactMap { Int($0.1) }
    #expect(counts.count >= 1)
    #expect(zip(counts, counts.dropFirst()).allSatisfy { $1 >= 2 * $0 }, "\(counts)")
    #expect(run.status == 0)
  }

  @Test(arguments: [[], ["--apply"]])
  func aLedgerThatIsNotThereIsNotMade(options: [String]) throws {
    let temporary = try TemporaryLedger()
    let run = try CommandRun(["compact", temporary.path] + options)
    #expect(run.output == "")
    #expect(run.notes.hasPrefix("promise-ledger: notALedger: "))
    #expect(run.status == 3)
    #expect(!FileManager.default.fileExists(atPath: temporary.path))
  }

  @Test(arguments: [
    ["--keep-events-for", "7w"], ["--keep-events-for", "-1"], ["--keep-events-for", ""],
    ["--keep-events-for", "d"], ["--keep-events-for", "36501d"], ["--keep-events=-1"],
    ["--keep-events-for", "9223372036854775807d"], ["--keep-records-for", "1 d"],
    ["--fold-only", "--keep-events", "1"], ["--fold-only", "--archive", "/tmp"], ["--archive", ""],
    ["--apply", "--without-lock"], ["--keep-events", "x"],
  ])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["compact", "/nowhere"] + options)
    #expect(run.status == 2)
    #expect(run.output == "")
  }

  @Test(
    arguments: [
      ("90", 90), ("90s", 90), ("30m", 1_800), ("12h", 43_200), ("7d", 604_800), ("forever", nil),
    ] as [(String, Int?)])
  func durationsHaveUnits(text: String, seconds: Int?) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(
      "compact", sample.path, "--keep-events-for", text, "--keep-records-for", text, "--format",
      "json")
    let events = seconds.map { "\"eventRetentionInSeconds\":\($0)," } ?? ""
    let records = seconds.map { ",\"recordRetentionInSeconds\":\($0)" } ?? ""
    #expect(run.output.contains("\"policy\":{\(events)\"minimumEventCount\":1000\(records)}"))
    #expect(run.status == 0)
  }

  // MARK: Obstacles

  @Test(
    arguments: [
      (EventKind(rawValue: 999), [0xCA, 0xFE], 1, "does not know"),
      (.promiseConsumed, [9], 5, "cannot be applied"),
    ] as [(EventKind, [UInt8], Int32, String)])
  func anEventThatCannotBeFoldedKeepsAllEvents(
    kind: EventKind, payload: [UInt8], status: Int32, text: String
  ) async throws {
    let sample = try await SampleLedger()
    try await sample.append(kind, payload: payload)
    let run = try CommandRun(["compact", sample.path, "--apply", "--format", "json"] + Self.all)
    #expect(run.output.contains(#""deletedEvents":0,"deletedThrough":0,"foldedEvents":18,"#))
    #expect(run.output.contains(#""problem":""#))
    #expect(run.notes.hasPrefix("promise-ledger: Compaction stopped, and no event was deleted. "))
    #expect(run.notes.contains(text))
    #expect(run.status == status)
    #expect(try BlockingInspector(at: sample.path).events().first?.position.rawValue == 1)
  }

  @Test(arguments: [[], ["--apply"]])
  func damageIsCorrupt(options: [String]) async throws {
    let sample = try await SampleLedger()
    try sample.damage("not needed")
    let before = try sample.data
    let run = try CommandRun(["compact", sample.path] + options)
    #expect(run.output == "")
    #expect(run.notes.hasPrefix("promise-ledger: corrupt: "))
    #expect(run.status == 5)
    #expect(try sample.data == before)
  }

  @Test func anotherCompactionIsBusy() async throws {
    let sample = try await SampleLedger()
    let app = try await sample.open()
    let second = Mutex<CommandRun?>(nil)
    try await app.compact(.foldOnly) { [path = sample.path] _ in
      second.withLock { run in
        if run == nil { run = try? CommandRun("compact", path, "--apply") }
      }
    }
    await app.close()
    let run = try #require(second.withLock { $0 })
    #expect(run.notes.hasPrefix("promise-ledger: compactionBusy: "))
    #expect(run.output == "")
    #expect(run.status == 4)
  }

  /// A wait for the gate is silent; it ends by its own rules, also if the tool may be silent for less.
  @Test(arguments: [[], ["--timeout", "2"]])
  func aWriterThatDoesNotGoOnIsBusy(options: [String]) async throws {
    let temporary = try TemporaryLedger()
    let blocked = Mutex<CommandRun?>(nil)
    let isArmed = Mutex(false)
    var configuration = LedgerConfiguration()
    configuration.files.hooks.gatePassed = { [path = temporary.path] in
      let isMine = isArmed.withLock { isArmed in
        defer { isArmed = false }
        return isArmed
      }
      guard isMine else { return }
      blocked.withLock { $0 = try? CommandRun(["compact", path, "--apply"] + options) }
    }
    let app = try await temporary.open(as: .app, configuration: configuration)
    isArmed.withLock { $0 = true }
    _ = try await app.createPromise(of: Int.self)
    await app.close()
    let run = try #require(blocked.withLock { $0 })
    #expect(run.notes.hasPrefix("promise-ledger: writerStalled: "))
    #expect(run.output == "")
    #expect(run.status == 4)
  }

  /// No process may hold this lock without the gate, so waiting for it has no end.
  @Test func hangInLMDBIsAFinding() async throws {
    let sample = try await SampleLedger()
    let path = LedgerDirectory(sample.path).generation(LedgerDirectory.firstGeneration)
    let run = try await onThread {
      Result {
        let environment = try Environment.open(at: path, tables: [])
        defer { try? environment.close() }
        return try environment.write { _ in
          try CommandRun("compact", sample.path, "--apply", "--timeout", "1")
        }
      }
    }.get()
    #expect(
      run.notes.hasPrefix("promise-ledger: The process that reads the ledger made no progress "))
    #expect(run.output == "")
    #expect(run.status == 5)
  }

  @Test(arguments: [[], ["--apply"]])
  func closedPipeIsNoFailure(options: [String]) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(intoClosedPipe: ["compact", sample.path, "--fold-only"] + options)
    #expect(run.status == 0)
    if !options.isEmpty {
      #expect(try CommandRun("stats", sample.path).output.contains(/snapshot +18\n/))
    }
  }
}

extension SampleLedger {
  /// The file that holds everything.
  fileprivate var data: Data { get throws { try dataFile(of: path) } }
}

extension CompactedSampleLedger {
  /// The file that holds everything.
  fileprivate var data: Data { get throws { try dataFile(of: path) } }
}

private func dataFile(of path: String) throws -> Data {
  try Data(contentsOf: URL(fileURLWithPath: path + "/generation-000001/data.mdb"))
}
