import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `log` from its end, and on from a cursor.
@Suite(.timeLimit(.minutes(10)))
struct LogBackwardsTests {
  private func positions(_ run: CommandRun) -> [Int] {
    run.output.matches(of: /"position":(\d+)/).compactMap { Int($0.1) }
  }

  private func log(_ path: String, _ options: String...) throws -> [Int] {
    let run = try CommandRun(["log", path, "--format", "jsonl"] + options)
    #expect(run.notes == "" && run.status == 0)
    return positions(run)
  }

  @Test func itIsPrintedBackwardsOrFromItsEnd() async throws {
    let path = try await SampleLedger()
    #expect(try log(path.path, "--reverse") == Array((1...17).reversed()))
    #expect(try log(path.path, "-r", "--limit", "2") == [17, 16])
    #expect(try log(path.path, "--tail", "3") == [15, 16, 17])
    #expect(try log(path.path, "-n", "3", "-r") == [17, 16, 15])
    #expect(try log(path.path, "-n", "100") == Array(1...17))
    #expect(try log(path.path, "-n", "0") == [])
    #expect(try log(path.path, "-n", "5", "--limit", "2") == [13, 14])
    #expect(try log(path.path, "-n", "2", "--kind", "promiseResolved") == [11, 13])
    #expect(try log(path.path, "-r", "--kind", "promiseResolved") == [13, 11, 9, 7, 4])
    #expect(try log(path.path, "-n", "2", "--through", "9") == [8, 9])
    #expect(try log(path.path, "-r", "--through", "9", "--after", "6") == [9, 8, 7])
    #expect(try log(path.path, "-n", "9", "--after", "15") == [16, 17])
    #expect(try log(path.path, "-n", "9", "--kind", "promiseResolved", "--after", "11") == [13])
  }

  /// Slices of the reader hold a thousand events, and frames have others.
  @Test func manyEventsAreReadBackwards() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    try await withThrowingTaskGroup { group in
      for _ in 0..<2_500 { group.addTask { _ = try await app.createPromise(of: Int.self) } }
      try await group.waitForAll()
    }
    await app.close()
    let head = Int(try BlockingInspector(at: temporary.path).head.rawValue)
    #expect(head > 2_500)
    #expect(try log(temporary.path, "-r") == Array((1...head).reversed()))
    #expect(try log(temporary.path, "-n", "2100") == Array((head - 2_099)...head))
    #expect(
      try log(temporary.path, "-n", "2100", "--kind", "promiseCreated")
        == Array(log(temporary.path, "--kind", "promiseCreated").suffix(2_100)))
  }

  @Test func deletedEventsEndTheWayBack() async throws {
    let sample = try await CompactedSampleLedger()
    let whole = try CommandRun("log", sample.path, "--format", "jsonl")
    let run = try CommandRun("log", sample.path, "--format", "jsonl", "-r")
    #expect(positions(run) == positions(whole).reversed())
    #expect(run.notes == whole.notes && run.notes.contains("were deleted by compaction."))
    #expect(run.status == 0)
    #expect(try log(sample.path, "-n", "1") == [positions(whole).last ?? 0])
    #expect(try log(sample.path, "-r", "--limit", "1") == [positions(whole).last ?? 0])
  }

  /// Everything after the damage is printed before it is reported.
  @Test func damageEndsTheWayBack() async throws {
    let sample = try await SampleLedger()
    try sample.damage("not needed")
    let run = try CommandRun("log", sample.path, "-r", "--format", "jsonl")
    #expect(positions(run) == [17, 16, 15])
    #expect(run.output.hasSuffix("{\"incomplete\":true}\n"))
    #expect(run.notes.hasPrefix("promise-ledger: corrupt: "))
    #expect(run.notes.hasSuffix(" The output is incomplete.\n") && run.status == 5)
    let pipe = try CommandRun(intoClosedPipe: "log", sample.path, "-r")
    #expect(pipe.notes == "" && pipe.status == 0)
  }

  @Test(arguments: [
    ["--reverse", "--follow"], ["--tail=-1"], ["--cursor-file", "x", "--reverse"],
    ["--cursor-file", "x", "--after", "1"], ["--cursor-file", ""],
  ])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["log", "/nowhere"] + options)
    #expect(run.status == 2 && run.output == "")
  }

  // MARK: Cursors

  @Test func aCursorGoesOnWhereTheLastRunEnded() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let cursor = directory.path + "/cursor"
    #expect(try log(sample.path, "--cursor-file", cursor, "--limit", "3") == [1, 2, 3])
    let ledger = try BlockingInspector(at: sample.path).id
    #expect(
      try String(contentsOfFile: cursor, encoding: .utf8)
        == "promise-ledger-cursor 1 \(ledger) 3\n")
    #expect(try log(sample.path, "--cursor-file", cursor, "--kind", "promiseAbandoned") == [14])
    #expect(try log(sample.path, "--cursor-file", cursor) == [15, 16, 17])
    // No news is no output, also as a table.
    let none = try CommandRun("log", sample.path, "--cursor-file", cursor)
    #expect(none.output == "" && none.notes == "" && none.status == 0)
    let app = try await sample.open()
    await app.close()
    #expect(try log(sample.path, "--cursor-file", cursor) == [18, 19])
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["cursor"])
  }

  @Test func anotherLedgersCursorIsRefused() async throws {
    let sample = try await SampleLedger()
    let other = try await WorkSampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let cursor = directory.path + "/cursor"
    let id = try BlockingInspector(at: sample.path).id
    func run(_ text: String) throws -> CommandRun {
      try text.write(toFile: cursor, atomically: true, encoding: .utf8)
      let run = try CommandRun("log", sample.path, "--cursor-file", cursor)
      #expect(run.output == "")
      #expect(try String(contentsOfFile: cursor, encoding: .utf8) == text)
      return run
    }
    let foreign = "019b76da-a800-7000-8700-0000000000ff"
    let another = try run("promise-ledger-cursor 1 \(foreign) 3\n")
    #expect(
      another.notes
        == "promise-ledger: The cursor \(cursor) belongs to ledger \(foreign), and this is ledger \(id). Use a file of its own for each ledger.\n"
    )
    #expect(another.status == 2)
    let ahead = try run("promise-ledger-cursor 1 \(id) 18\n")
    #expect(
      ahead.notes.contains(" the ledger was replaced by an earlier copy.") && ahead.status == 5)
    for text in [
      "", "\n", "promise-ledger-cursor 2 \(id) 3\n", "promise-ledger-cursor 1 \(id) 3",
      "promise-ledger-cursor 1 \(id) x\n", "promise-ledger-cursor 1 \u{1B}[2J 3\n",
      String(repeating: "x", count: 100_000),
    ] {
      let bad = try run(text)
      #expect(bad.notes.contains(" is not a cursor that this version can read.") && bad.status == 2)
    }
    let lost = try CommandRun("log", sample.path, "--cursor-file", "/nowhere/cursor")
    #expect(lost.notes.contains("The cursor cannot be written: ") && lost.status == 74)
    await other.close()
  }

  @Test func aLinkToACursorStaysALink() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let (cursor, link) = (directory.path + "/cursor", directory.path + "/link")
    #expect(try log(sample.path, "--cursor-file", cursor, "--limit", "3") == [1, 2, 3])
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: cursor)
    #expect(try log(sample.path, "--cursor-file", link, "--limit", "2") == [4, 5])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == cursor)
    #expect(try log(sample.path, "--cursor-file", cursor, "--limit", "1") == [6])
  }

  @Test func theFirstRunCreatesTheFileThatALinkLeadsTo() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let files = FileManager.default
    let (cursor, link) = (directory.path + "/state/cursor", directory.path + "/link")
    try files.createSymbolicLink(atPath: link, withDestinationPath: "state/cursor")
    let lost = try CommandRun("log", sample.path, "--cursor-file", link)
    #expect(lost.notes.hasPrefix("promise-ledger: The file \(link) cannot be written. "))
    #expect(lost.status == 74 && lost.output == "")
    try files.createDirectory(
      atPath: directory.path + "/state", withIntermediateDirectories: false)
    #expect(try log(sample.path, "--cursor-file", link, "--limit", "3") == [1, 2, 3])
    #expect(try files.destinationOfSymbolicLink(atPath: link) == "state/cursor")
    #expect(try log(sample.path, "--cursor-file", cursor, "--limit", "1") == [4])
  }

  @Test func whatAKilledRunLeftBesideItsCursorIsRemoved() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    for name in ["cursor", "other"] {
      try Data().write(
        to: URL(fileURLWithPath: directory.path + "/.\(name).new-0123456789ab"))
    }
    #expect(try log(sample.path, "--cursor-file", directory.path + "/cursor").count == 17)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        == [".other.new-0123456789ab", "cursor"])
  }

  @Test func noCursorIsWrittenIntoTheLedger() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let (cursor, link) = (sample.path + "/cursor", directory.path + "/link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: cursor)
    for name in [cursor, link] {
      let run = try CommandRun("log", sample.path, "--cursor-file", name)
      #expect(run.notes.contains("Nothing can be written into the ledger at "))
      #expect(run.status == 2 && run.output == "")
      #expect(!FileManager.default.fileExists(atPath: cursor))
    }
  }

  /// The events before the damage are not printed again, and the damage is reported each time.
  @Test func aCursorStopsBeforeDamage() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let cursor = directory.path + "/cursor"
    try sample.damage("not needed")
    for expected in [Array(1...13), []] {
      let run = try CommandRun(
        "log", sample.path, "--cursor-file", cursor, "--format", "jsonl")
      #expect(positions(run) == expected)
      #expect(run.notes.hasPrefix("promise-ledger: corrupt: ") && run.status == 5)
      #expect(try String(contentsOfFile: cursor, encoding: .utf8).hasSuffix(" 13\n"))
    }
  }

  /// What the reader of the output did not get is printed again.
  @Test func outputThatWasNotTakenMovesNoCursor() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let cursor = directory.path + "/cursor"
    let pipe = try CommandRun(intoClosedPipe: "log", sample.path, "--cursor-file", cursor)
    #expect(pipe.notes == "" && pipe.status == 0)
    #expect(!FileManager.default.fileExists(atPath: cursor))
    #expect(try log(sample.path, "--cursor-file", cursor).count == 17)
  }

  /// While it waits for events, the cursor is where the output is.
  @Test func followingMovesTheCursor() async throws {
    let sample = try await SampleLedger()
    let directory = try TemporaryDirectory()
    defer { withExtendedLifetime(directory) {} }
    let cursor = directory.path + "/cursor"
    let run = try FollowingRun(sample.path, "--cursor-file", cursor, "-n", "2")
    try run.waitForOutput(#""position":17"#)
    while !FileManager.default.fileExists(atPath: cursor) { await Task.yield() }
    run.signal(SIGINT)
    #expect(try run.end() == -SIGINT)
    #expect(!run.output.contains(#""position":15"#) && run.output.contains(#""position":16"#))
    #expect(try log(sample.path, "--cursor-file", cursor) == [])
  }
}
