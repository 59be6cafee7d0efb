import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerRuntime
@testable import PromiseLedger

/// How a runner learns that a time has come, when nothing but a clock tells.
@Suite(.timeLimit(.minutes(5)))
struct RunnerTimerTests {
  /// The system's clock, set forward at some moment; unlike a manual clock, it tells nobody.
  private final class SetClock: LedgerClock {
    private let system = SystemLedgerClock()
    private let offset = Mutex(Duration.zero)

    func now() -> Timestamp { system.now() + offset.withLock { $0 } }

    func set(forwardBy duration: Duration) { offset.withLock { $0 += duration } }
  }

  @Test func aClockThatIsSetForwardStartsWhatIsThenDue() async throws {
    let clock = SetClock()
    let ledger = try await WorkLedger(clock: clock).open { _, _ in 7 }
    let value = try await running(LedgerRunner(ledger)) {
      let promise = try await ledger.start(ScriptedWork(), at: clock.now() + .seconds(3_600))
      // From now on the runner sleeps.
      while !ledger.engine.alarm.isSet { await Task.yield() }
      clock.set(forwardBy: .seconds(3_600))
      return try await promise.consume()
    }
    #expect(value == 7)
  }

  @Test(arguments: [Duration.milliseconds(200), .milliseconds(2_500)])
  func workStartsAtItsTimeWithoutAnyOtherChange(_ delay: Duration) async throws {
    let ledger = try await WorkLedger().open { _, _ in 7 }
    let value = try await running(LedgerRunner(ledger)) {
      try await ledger.start(ScriptedWork(), at: Timestamp.now + delay).consume()
    }
    #expect(value == 7)
  }

  @Test func anAlarmRingsOnceWhenItsTimeHasCome() {
    let alarm = Alarm()
    let count = Mutex(0)
    let time = Timestamp(nanosecondsSinceEpoch: 1_000)
    alarm.set(at: time + .nanoseconds(5)) { count.withLock { $0 += 10 } }
    alarm.set(at: time) { count.withLock { $0 += 1 } }
    alarm.ring(at: Timestamp(nanosecondsSinceEpoch: 999))
    #expect(count.withLock { $0 } == 0 && alarm.isSet)
    alarm.ring(at: time)
    alarm.ring(at: time + .seconds(1))
    #expect(count.withLock { $0 } == 1 && !alarm.isSet)
    alarm.set(at: time) { count.withLock { $0 += 100 } }
    alarm.cancel()
    alarm.ring(at: time)
    #expect(count.withLock { $0 } == 1)
  }
}
