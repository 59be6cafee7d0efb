import Foundation
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Sessions whose clock is moved by hand.
@Suite(.timeLimit(.minutes(1)))
struct MovedClockTests {
  private let store = SleepyStore()
  private let clock = ManualLedgerClock()

  private func open() async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    // Longer than the test may take: only the clock can wake the session.
    configuration.pollInterval = .seconds(3_600)
    return try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: configuration)
  }

  @Test func aClockThatIsMovedLetsDeadlinesPass() async throws {
    let ledger = try await open()
    let day = Duration.seconds(86_400)
    let promise = try await ledger.createPromise(of: Int.self, deadline: clock.now() + day)
    await store.listenerSleeps()
    clock.advance(by: day - .seconds(1))
    #expect(try await promise.record?.status == .pending)
    clock.advance(by: .seconds(1))
    #expect(try await promise.outcome == .timedOut)
    await ledger.close()
  }

  @Test func theTimeOfALedgerIsThatOfItsClock() async throws {
    let ledger = try await open()
    clock.advance(by: .seconds(5))
    #expect(ledger.now == clock.now())
    try await ledger.freeze()
    clock.advance(by: .seconds(5))
    #expect(ledger.now == clock.now())
    await ledger.close()
    #expect(ledger.now == clock.now())
  }

  @Test func aClockForgetsCallbacksThatAreDone() {
    let calls = Calls()
    clock.whenMoved { calls.add() < 2 }
    for _ in 0..<5 { clock.advance(by: .seconds(1)) }
    #expect(calls.count == 2)
  }

  /// A move while callbacks are called for another one.
  @Test func eachMoveCallsBack() async {
    let calls = Calls()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    clock.whenMoved { [clock] in
      if calls.add() == 1 {
        let isMoved = WakeSemaphore()
        Thread.detachNewThread {
          clock.advance(by: .seconds(1))
          isMoved.signal()
          end.finish()
        }
        // Time enough for a move that does not wait.
        _ = isMoved.wait(timeout: .milliseconds(100))
      }
      return true
    }
    clock.advance(by: .seconds(1))
    for await _ in ends {}
    #expect(calls.count == 2)
  }
}

/// Counts calls, on any thread.
private final class Calls: Sendable {
  private let value = Mutex(0)

  var count: Int { value.withLock { $0 } }

  /// - Returns: The new count.
  func add() -> Int {
    value.withLock { value in
      value += 1
      return value
    }
  }
}

/// A store in memory that reports when the listener of its session goes to sleep.
private final class SleepyStore: ForwardingStore {
  let store = InMemoryEventStore()
  private let sleeps = AsyncStream.makeStream(of: UInt32.self)

  func waitForChange(since count: UInt32, timeout: Duration) {
    sleeps.continuation.yield(count)
    store.waitForChange(since: count, timeout: timeout)
  }

  /// Waits until the listener sleeps and has seen every change.
  func listenerSleeps() async {
    for await count in sleeps.stream where count == store.changeCount { return }
  }
}
