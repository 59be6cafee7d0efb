import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The tool's output about clocks that disagree.
@Suite(.timeLimit(.minutes(10)))
struct WrongClockTests {
  @Test func statsTellAClockThatLiesBehindTheNewestEvent() async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    let ahead = SystemLedgerClock().now() + .seconds(400 * 86_400)
    configuration.clock = ManualLedgerClock(start: ahead)
    await (try temporary.open(configuration: configuration)).close()

    let run = try CommandRun("stats", temporary.path)
    #expect(run.output.contains(/clock +this clock is 345\d+ s behind the newest event\n/))
    #expect(run.output.contains("newest time"))
    let json = try CommandRun("stats", temporary.path, "--format", "json")
    #expect(json.output.contains(/"clockBehindSeconds":345\d+/))
    #expect(run.status == 0 && run.notes == "")
  }
}
