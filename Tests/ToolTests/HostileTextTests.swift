import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Texts that are longer than they look, or different.
@Suite(.timeLimit(.minutes(10)))
struct HostileTextTests {
  @Test(arguments: ["log", "import", "stats", "verify"])
  func argumentsThatAreNotUTF8AreRefused(verb: String) throws {
    let temporary = try TemporaryLedger()
    try FileManager.default.createDirectory(
      atPath: temporary.path, withIntermediateDirectories: false)
    let run = try CommandRun(
      shell: "\(verb) \"$(printf '%s/a\\377b' '\(temporary.path)')\" /dev/null")
    #expect(
      run.notes
        == "promise-ledger: Argument 2 is not UTF-8. Give it in UTF-8.\n")
    #expect(run.output == "")
    #expect(run.status == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == [])
  }

  @Test func argumentsInUTF8AreTaken() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(shell: "promises '\(sample.path)' --tag 'Zoë \u{FFFD}'")
    #expect(run.notes == "" && run.status == 0)
  }

  /// Words of the command line come back in messages, and no terminal obeys them.
  @Test(arguments: [
    ["show", "x", "\u{1B}[31mred"], ["log", "x", "--\u{1B}[31m"], ["\u{1B}[2J"],
    ["log", "x", "--kind=a\u{1B}]0;t\u{7}\nError: forged"], ["log", "x", "y", "\u{9B}31m\u{202E}"],
    ["log", "x", "--after", "\u{1B}c"], ["help", "\u{1B}c"], ["log", "/no\u{1B}[2J\nwhere/there"],
    ["import", "/no\u{1B}[2J/where", "/no\u{1B}[2J/archive"],
    ["compact", "x", "--archive", "\u{1B}c", "-q"],
    ["show", "x", "--key", "a\u{1B}[31m"], ["-\u{1B}"],
    ["log", "x", "--format", "\u{1B}[31m\r\nxml"],
  ])
  func wordsOfTheCommandLineAreEscaped(words: [String]) throws {
    let run = try CommandRun(words)
    Self.checkEscapes(in: run.notes + run.output)
    #expect(!run.notes.contains("\nError: forged") && !run.notes.contains("\nwhere"))
    #expect(words[0] == "help" || run.status != 0)
  }

  private static func checkEscapes(in text: String) {
    for scalar in text.unicodeScalars where scalar != "\n" {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        Issue.record("\(scalar.escaped(asASCII: true)) is in \(text.debugDescription)")
      default: break
      }
    }
  }

  /// A codec of the user names the types of promises and of the results of steps.
  @Test func storedTypesAreEscaped() async throws {
    let type = "t\u{1B}[2J\u{9B}31m\u{202E}"
    let ledger = try await WorkHistoryLedger()
    try ledger.add(
      PromiseCreated(
        typeTag: type, lifetime: .untilSettled, source: .work(.init(kind: "order", trigger: .now))),
      at: 0)
    try ledger.add(WorkStarted(attempt: 1), at: 1)
    try ledger.add(
      WorkStepFinished(
        attempt: 1, step: StepIdentity("pack"), outcome: .value, failureCount: 0,
        startedAt: WorkHistoryLedger.time(1), typeTag: type, result: [1]), at: 2)
    let id = "\(WorkHistoryLedger.promise(1))"
    for words in [
      ["log"], ["promises"], ["show", id], ["explain", id], ["trace", id], ["tree", id], ["work"],
      ["state"], ["stats"], ["overview"], ["graph", id], ["verify"],
      ["resolve", id, "--value", "1", "--yes"], ["force", id, "--value", "x", "--yes"],
      ["force", id, "--value", "1", "--yes"],
    ] {
      let run = try CommandRun([words[0], ledger.path] + words.dropFirst())
      Self.checkEscapes(in: run.notes + run.output)
      #expect(!(run.notes + run.output).isEmpty, "\(words)")
    }
  }

  /// One character that a terminal shows is a million scalars here.
  @Test func combiningMarksMakeNoLongLine() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let text = "a" + String(repeating: "\u{301}", count: 1_000)
    let fulfilled = try await app.createPromise(of: String.self)
    try await fulfilled.fulfill(text)
    let rejected = try await app.createPromise(of: String.self)
    try await rejected.reject(StoredError(domain: "d", code: 1, message: text))
    await app.close()
    let run = try CommandRun("log", temporary.path, "--kind", "promiseResolved")
    let lines = run.output.split(separator: "\n").dropFirst()
    #expect(lines.count == 2)
    for line in lines { #expect(line.contains("...") && line.unicodeScalars.count < 240) }
    #expect(run.status == 0)
  }
}
