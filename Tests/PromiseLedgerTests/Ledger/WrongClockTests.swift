import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Sessions whose clocks disagree.
@Suite(.timeLimit(.minutes(5))) struct WrongClockTests {
  private let temporary: TemporaryLedger
  private let clock = ManualLedgerClock()
  private let log = AwaitedLog()

  init() throws { temporary = try TemporaryLedger() }

  private var configuration: LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.automaticCompaction = nil
    configuration.logger = log.logger
    return configuration
  }

  /// Opens and closes a session whose clock is so far off.
  private func useLedger(off duration: Duration) async throws {
    var configuration = configuration
    configuration.clock = ManualLedgerClock(start: clock.now() + duration)
    let ledger = try await temporary.open(configuration: configuration)
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    _ = try await promise.consume()
    await ledger.close()
  }

  private static let days400 = Duration.seconds(400 * 86_400)

  @Test func anAnswerIsTakenAfterAnotherSessionsClockWasFarAhead() async throws {
    try await useLedger(off: Self.days400)
    let app = try await temporary.open(configuration: configuration)
    let promise = try await app.createPromise(of: Int.self, deadline: clock.now() + .seconds(3_600))

    #expect(try await promise.fulfill(7).isSuccess)
    #expect(try await promise.consume() == 7)
    await app.close()
  }

  @Test func retentionGoesOnAfterAnotherSessionsClockWasFarAhead() async throws {
    try await useLedger(off: Self.days400)
    try await useLedger(off: .zero)
    clock.advance(by: .seconds(40 * 86_400))
    try await useLedger(off: .zero)
    let app = try await temporary.open(configuration: configuration)
    var policy = CompactionPolicy()
    policy.minimumEventCount = 0

    let report = try await app.compact(policy)

    #expect(report.problem == nil)
    // Of the first two sessions: they themselves, and a promise of each.
    #expect(report.removedRecords == 4)
    // The creation of the ledger, and the opening, three events of a promise and the end of each.
    #expect(report.deletedEvents == 11)
    await app.close()
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: temporary.path).verify { findings.append($0) }
    #expect(findings.isEmpty)
  }

  @Test func timesThatDescendAreNoFinding() async throws {
    for offset in [0, 86_400, -86_400, 30, -400 * 86_400] {
      try await useLedger(off: .seconds(offset))
    }
    var findings: [VerificationFinding] = []
    let inspector = try BlockingInspector(at: temporary.path)
    _ = try inspector.verify { findings.append($0) }
    #expect(findings.isEmpty)
    let statistics = try inspector.statistics()
    #expect(statistics.newestTime == clock.now() + .seconds(86_400))
    let last = try #require(statistics.lastTime)
    #expect(last < clock.now())
  }

  @Test func aClockBehindTheNewestEventIsReportedOnce() async throws {
    try await useLedger(off: Self.days400)
    #expect(log.warnings.isEmpty)
    try await useLedger(off: .zero)
    let message = "the clock is behind the newest event: one of the clocks is wrong"
    #expect(log.warnings == [message])
  }

  @Test func eachJumpIsReportedOnce() {
    var watch = ClockLagWatch()
    func lag(_ now: Int64, _ newest: Int64) -> Duration? {
      watch.lagToReport(
        now: .at(now * 1_000_000_000), newestEvent: .at(newest * 1_000_000_000))
    }
    #expect(lag(100, 100) == nil)
    #expect(lag(100, 160) == nil)
    #expect(lag(100, 161) == .seconds(61))
    #expect(lag(100, 161) == nil)
    #expect(lag(50, 161) == nil)
    // Further ahead.
    #expect(lag(50, 1_000) == .seconds(950))
    #expect(lag(60, 1_001) == nil)
    // The clock passed it, and another one jumped.
    #expect(lag(1_001, 1_001) == nil)
    #expect(lag(1_001, 1_100) == .seconds(99))
  }
}
