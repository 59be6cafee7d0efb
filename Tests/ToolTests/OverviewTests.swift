import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// `promise-ledger PATH`: the state of a ledger on one screen.
@Suite(.timeLimit(.minutes(10)))
struct OverviewTests {
  /// Ages depend on the day of the test.
  private func withoutAges(_ text: String) -> String {
    text.replacing(/\d+ d( \d+ h)? ago/, with: "AGO")
      .replacing(/data bytes  \d+/, with: "data bytes  BYTES")
  }

  private static func findings(_ sample: StuckLedger) throws -> String {
    let path = sample.path
    return """
      FAILED
      1  work failed for good (AGO)
         promise-ledger explain \(path) \(StuckLedger.id(2))
      1  promises rejected or timed out, not consumed (AGO)
         promise-ledger explain \(path) \(StuckLedger.id(3))
      1  handlers whose newest run failed (AGO)
         promise-ledger explain \(path) \(try HandlerKey("iq-2").handlerID)

      STUCK
      1  work run by a process that is gone (AGO)
         promise-ledger explain \(path) \(StuckLedger.id(1))
      1  calls run by a process that is gone (AGO)
         promise-ledger explain \(path) \(try HandlerKey("iq-1").handlerID)
      1  sessions whose process is gone (AGO)
         promise-ledger sessions \(path) --state dead

      WAITS
      1  promises pending (AGO)
         promise-ledger explain \(path) \(sample.order)

      """
  }

  @Test func whatIsStuckComesWithTheNextCommand() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun(sample.path)
    let head = try BlockingInspector(at: sample.path).head
    #expect(
      withoutAges(run.output) == """
        ledger      019b76da-a800-7000-8700-000000000001
        events      \(head), the newest AGO
        tail        \(head) events after the snapshot at 0; deleted through 0
        data bytes  BYTES
        sessions    0 alive, 1 frozen, 1 dead

        \(try Self.findings(sample))
        """)
    #expect(run.notes == "" && run.status == 1)
    #expect(try CommandRun("overview", sample.path).output == run.output)
    await sample.close()
  }

  #if os(Linux)
    /// On a wide terminal, the command is on the same line; on a narrow one, only words are cut.
    @Test func itFitsTheTerminal() async throws {
      let sample = try await StuckLedger()
      let wide = try CommandRun(atTerminalOfWidth: 200, sample.path)
      let lines = withoutAges(wide.output).split(separator: "\n").map(String.init)
      let words = "1  work failed for good (AGO)"
      #expect(
        lines.contains {
          $0.hasPrefix(words)
            && $0.hasSuffix("  promise-ledger explain \(sample.path) \(StuckLedger.id(2))")
        })
      #expect(!wide.output.contains("\u{1B}") && wide.status == 1)
      let narrow = try CommandRun(atTerminalOfWidth: 60, sample.path)
      let commands = narrow.output.split(separator: "\n").filter { $0.hasPrefix("   promise-") }
      #expect(commands.count == 7)
      for line in narrow.output.split(separator: "\n") where line.first == "1" {
        #expect(line.count <= 60)
      }
      let coloured = try CommandRun(atTerminalOfWidth: 200, isStyled: true, sample.path)
      #expect(coloured.output.replacing(/\u{1B}\[\d*m/, with: "") == wide.output)
      #expect(coloured.output.contains("\u{1B}[1mFAILED\u{1B}[0m"))
      await sample.close()
    }
  #endif

  @Test func severalAreListedInsteadOfExplained() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun(sample.path)
    let path = sample.path
    for (line, next) in [
      ("1  work parked until an operator acts", "explain \(path) \(WorkSampleLedger.id(6))"),
      ("1  work failed, to be run again", "explain \(path) \(WorkSampleLedger.id(5))"),
      ("2  work due", "work \(path) --state due"),
      ("1  work waits for promises", "explain \(path) \(WorkSampleLedger.id(2))"),
      ("1  work waits for a time", "explain \(path) \(WorkSampleLedger.id(3))"),
      ("1  work runs", "explain \(path) \(WorkSampleLedger.id(4))"),
    ] {
      let pattern = "\n\(line) ("
      let start = try #require(run.output.range(of: pattern), "\(line)")
      let rest = run.output[start.upperBound...].split(separator: "\n").dropFirst()
      #expect(rest.first == "   promise-ledger \(next)")
    }
    #expect(run.notes == "" && run.status == 1)
    await sample.close()
  }

  /// A pause longer than its process is a condition that names no promise.
  @Test func workThatSleepsWaitsForATime() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, "mail")
    try ledger.add(WorkStarted(attempt: 1), at: 1)
    try ledger.add(
      WorkReleased(
        attempt: 1, reason: .waiting, condition: WorkCondition(time: WorkHistoryLedger.time(60))),
      at: 2)
    let run = try CommandRun(ledger.path, "--format", "json")
    #expect(run.output.contains(#""finding":"timedWork""#), "\(run.output)")
    #expect(!run.output.contains(#""finding":"waitingWork""#))
    #expect(run.status == 0)
  }

  @Test func aSoundLedgerHasNothingToDo() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open()
    let run = try CommandRun(temporary.path)
    #expect(run.output.hasSuffix("\nNothing failed, and nothing is stuck.\n"))
    #expect(run.notes == "" && run.status == 0)
    _ = try await app.createPromise(of: Int.self)
    let waiting = try CommandRun(temporary.path)
    #expect(waiting.output.contains("\nWAITS\n1  promises pending ("))
    #expect(waiting.status == 0)
    await app.close()
  }

  @Test func jsonHasTheCommandsAsWords() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun(sample.path, "--format", "json")
    let time = "2026-01-01T00:00:00.000000Z"
    #expect(
      run.output.contains(
        #"{"count":1,"finding":"lostWork","group":"stuck","next":["promise-ledger","explain","\#(sample.path)","\#(StuckLedger.id(1))"],"oldest":"\#(time)","oldestID":"\#(StuckLedger.id(1))"}"#
      ))
    #expect(run.output.contains(#""sessions":{"dead":1,"frozen":1},"snapshotPosition":0}"#))
    #expect(run.notes == "" && run.status == 1)
    await sample.close()
  }

  @Test func itEndsAsOtherVerbsDo() async throws {
    let sample = try await StuckLedger()
    let pipe = try CommandRun(intoClosedPipe: sample.path)
    #expect(pipe.notes == "" && pipe.status == 0)
    await sample.close()
    let missing = try CommandRun("/nothing")
    #expect(missing.notes.hasPrefix("promise-ledger: notALedger: ") && missing.status == 3)
    let hostile = try CommandRun("/no\u{1B}[2J\nthing")
    #expect(!hostile.notes.contains("\u{1B}") && hostile.status == 3)
    #expect(try CommandRun(sample.path, "--state", "x").status == 2)
  }
}
