import Foundation
import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Timers, on a clock of the test.
@Suite(.timeLimit(.minutes(10))) struct TimeTests {
  @Test func aPromiseThatTakesTooLongTimesOut() async throws {
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let limited = promise.timeout(.seconds(5), clock: clock)
    clock.advance(by: .seconds(4))
    #expect(limited.isPending)
    clock.advance(by: .seconds(1))
    #expect(code(try await limited.settlement()) == .timedOut)
    #expect(promise.isPending)
    resolver.fulfill(1)
  }

  @Test func aTimeoutMayCancelItsSource() async throws {
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let seen = Recorder<Int>()
    resolver.onCancel { _ in seen.record(1) }
    let limited = promise.timeout(.seconds(5), cancellingSource: true, clock: clock)
    clock.advance(by: .seconds(5))
    #expect(code(try await limited.settlement()) == .timedOut)
    await seen.events(atLeast: 1)
    #expect(promise.outcome?.isCancelled == true)
  }

  @Test func aTimeoutMayHaveAnErrorOfYourOwn() async throws {
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let limited = promise.timeout(.seconds(5), throwing: TestError(7), clock: clock)
    let cancelled = promise.timeout(.seconds(5), throwing: CancellationError(), clock: clock)
    clock.advance(by: .seconds(5))
    #expect(testError(try await limited.settlement()) == TestError(7))
    #expect(try await cancelled.settlement().isCancelled)
    resolver.fulfill(1)
  }

  @Test func aPromiseInTimeKeepsItsOutcomeBesideAnErrorOfYourOwn() async throws {
    let clock = ManualClock()
    let value = Promise.value(1).timeout(.seconds(5), throwing: TestError(7), clock: clock)
    #expect(try await value.value == 1)
    let failed = Promise<Int>.rejected(TestError(1))
      .timeout(.seconds(5), throwing: TestError(7), clock: clock)
    #expect(testError(try await failed.settlement()) == TestError(1))
  }

  @Test func aPromiseThatSettledInTimeKeepsItsOutcomeBeforeItIsPassedOn() async throws {
    for _ in 0..<50 {
      let clock = ManualClock()
      let (promise, resolver) = Promise.make(of: Int.self)
      let other = Promise.make(of: Int.self)
      let isOver = DispatchSemaphore(value: 0)
      // The time passes while another observer is told.
      let told = promise.tap(on: .inline) { _ in
        clock.advance(by: .seconds(5))
        isOver.wait()
      }
      let limited = promise.timeout(.seconds(5), clock: clock)
      other.promise.timeout(.seconds(5), clock: clock).tap(on: .inline) { _ in isOver.signal() }
        .catch { _ in }
      await clock.sleepers(atLeast: 2)
      // The observer blocks its thread.
      Thread.detachNewThread { resolver.fulfill(1) }
      #expect(try await limited.settlement() == .fulfilled(1))
      #expect(try await told.value == 1)
      other.resolver.fulfill(1)
    }
  }

  @Test func aLateOutcomeIsReported() async throws {
    DiagnosticRecorder.install()
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let limited = promise.timeout(.seconds(5), clock: clock)
    clock.advance(by: .seconds(5))
    _ = try await limited.settlement()
    resolver.fulfill(1)
    #expect(DiagnosticRecorder.kinds(line: #line - 4) == ["settledLate"])
  }

  @Test func everyOutcomeAfterTheTimeIsReported() async throws {
    DiagnosticRecorder.install()
    let outcomes: [Outcome<Int>] = [.fulfilled(1), .rejected(TestError(1)), .cancelled("why")]
    let errors: [(any Error)?] = [nil, TestError(7), CancellationError()]
    for error in errors {
      for outcome in outcomes {
        let clock = ManualClock()
        let (promise, resolver) = Promise.make(of: Int.self)
        let limited = promise.timeout(.seconds(5), throwing: error, clock: clock)
        clock.advance(by: .seconds(5))
        _ = try await limited.settlement()
        resolver.resolve(with: outcome)
      }
    }
    let kinds = DiagnosticRecorder.kinds(line: #line - 6)
    #expect(kinds == Array(repeating: "settledLate", count: 9))
  }

  @Test func aCancellationByOrOfATimeoutIsNoLateOutcome() async throws {
    DiagnosticRecorder.install()
    let clock = ManualClock()
    let (promise, resolver) = Promise.make(of: Int.self)
    let hasEnded = Recorder<Void>()
    resolver.onCancel { _ in hasEnded.record(()) }
    let limited = promise.timeout(.seconds(5), cancellingSource: true, clock: clock)
    let cancelled = Promise.make(of: Int.self)
    cancelled.promise.timeout(.seconds(5), clock: clock).cancel()
    cancelled.resolver.reject(TestError(1))
    clock.advance(by: .seconds(5))
    #expect(code(try await limited.settlement()) == .timedOut)
    await hasEnded.events(atLeast: 1)
    #expect(DiagnosticRecorder.kinds(line: #line - 7).isEmpty)
    #expect(DiagnosticRecorder.kinds(line: #line - 6).isEmpty)
  }

  @Test func delayWaitsBehindTheValueAndNotBehindAFailure() async throws {
    let clock = ManualClock()
    let delayed = Promise.value(1).delay(.seconds(2), clock: clock)
    await clock.sleepers(atLeast: 1)
    #expect(delayed.isPending)
    clock.advance(by: .seconds(2))
    #expect(try await delayed.value == 1)
    let failed = Promise<Int>.rejected(TestError(1)).delay(.seconds(2), clock: clock)
    #expect(testError(try await failed.settlement()) == TestError(1))
  }

  @Test func cancellingReleasesTheTimer() async {
    let clock = ManualClock()
    let delayed = Promise.after(.seconds(2), clock: clock)
    await clock.sleepers(atLeast: 1)
    delayed.cancel()
    await clock.sleepers(atMost: 0)
    #expect(delayed.outcome?.isCancelled == true)
  }

  @Test func retryWaitsBetweenAttemptsOnly() async throws {
    let clock = ManualClock()
    let attempts = Recorder<Int>()
    let promise = Promise<Int>.retry(
      attempts: 3, delay: .exponential(first: .seconds(1)), clock: clock
    ) { attempt in
      attempts.record(attempt)
      throw TestError(attempt)
    }
    for pause in [1, 2] {
      await clock.sleepers(atLeast: 1)
      #expect(attempts.events.count == pause)
      clock.advance(by: .seconds(pause))
    }
    #expect(testError(try await promise.settlement()) == TestError(3))
    #expect(attempts.events == [1, 2, 3])
    #expect(clock.now.offset == .seconds(3))
    #expect(clock.sleeperCount == 0)
  }

  @Test func retryStopsAtTheFirstValueAndWhenToldTo() async throws {
    let attempts = Counter()
    let second = Promise<Int>.retry(attempts: 9) { attempt in
      attempts.increment()
      if attempt < 2 { throw TestError() }
      return .value(attempt)
    }
    #expect(try await second.value == 2)
    #expect(attempts.value == 2)
    let isEarly: @Sendable (any Error, Int) async -> Bool = { _, attempt in attempt < 3 }
    let refused = Promise<Int>.retry(attempts: 9, when: isEarly) { throw TestError($0) }
    #expect(testError(try await refused.settlement()) == TestError(3))
  }

  @Test func retryDoesNotTryACancelledPromiseAgain() async throws {
    let attempts = Counter()
    let promise = Promise<Int>.retry(attempts: 9) { _ in
      attempts.increment()
      return .cancelled("why")
    }
    #expect(try await promise.settlement() == .cancelled("why"))
    #expect(attempts.value == 1)
  }

  @Test func aRetryThatIsCancelledMeanwhileBeginsNoOtherAttempt() async throws {
    final class Witness: Sendable {}
    let attempts = Counter()
    let made = Recorder<Promise<Int>>()
    weak var weakWitness: Witness?
    do {
      let witness = Witness()
      weakWitness = witness
      let cancels: @Sendable (any Error, Int) async -> Bool = { _, _ in
        await made.events(atLeast: 1)[0].cancel("why")
        return true
      }
      let retried = Promise<Int>.retry(attempts: 3, on: .inline, when: cancels) { _ in
        withExtendedLifetime(witness) { attempts.increment() }
        throw TestError(1)
      }
      made.record(retried)
      #expect(try await retried.settlement() == .cancelled("why"))
    }
    // Until the task of the retry is over.
    while weakWitness != nil, !Task.isCancelled { await Task.yield() }
    #expect(attempts.value == 1)
  }

  @Test func aRejectionWithACancellationErrorStaysOneBehindARetry() async throws {
    let never: @Sendable (any Error, Int) async -> Bool = { _, _ in false }
    for attempts in [1, 2] {
      let retried = Promise<Int>.retry(attempts: attempts, when: never) { _ in
        .rejected(CancellationError())
      }
      let outcome = try await retried.settlement()
      #expect(!outcome.isCancelled)
      #expect(outcome.error is CancellationError)
    }
  }

  @Test func aRetryThatGetsTheSamePromiseAgainIsReportedOnce() async throws {
    DiagnosticRecorder.install()
    let made = Promise<Int>.rejected(TestError(1))
    let retried = Promise.retry(attempts: 4) { _ in made }
    #expect(testError(try await retried.settlement()) == TestError(1))
    #expect(DiagnosticRecorder.kinds(line: #line - 2) == ["retriedSamePromise"])
  }

  @Test func aRetryThatMakesItsPromisesIsNotReported() async throws {
    DiagnosticRecorder.install()
    let retried = Promise.retry(attempts: 4) { Promise<Int>.rejected(TestError($0)) }
    #expect(testError(try await retried.settlement()) == TestError(4))
    // A memory of failures that forgets in time.
    let first = Promise<Int>.rejected(TestError(1))
    let second = Promise.retry(attempts: 2) { $0 == 1 ? first : .value(2) }
    #expect(try await second.value == 2)
    #expect(DiagnosticRecorder.kinds(line: #line - 6).isEmpty)
    #expect(DiagnosticRecorder.kinds(line: #line - 3).isEmpty)
  }

  @Test func cancellingARetryCancelsTheCurrentAttempt() async throws {
    let inner = Promise.make(of: Int.self)
    let started = Recorder<Void>()
    let cancelled = Recorder<Void>()
    inner.resolver.onCancel { _ in cancelled.record(()) }
    let promise = Promise<Int>.retry(attempts: 3) { _ in
      started.record(())
      return inner.promise
    }
    await started.events(atLeast: 1)
    promise.cancel("why")
    #expect(promise.outcome == .cancelled("why"))
    await cancelled.events(atLeast: 1)
  }

  @Test func exponentialDelaysGrowUpToTheLongestAndNeverOverflow() {
    let delay = RetryDelay.exponential(first: .seconds(1), factor: 3, longest: .seconds(20))
    #expect(
      (1...5).map { delay.delay(afterAttempt: $0) } == [1, 3, 9, 20, 20].map { .seconds($0) })
    let huge = RetryDelay.exponential(
      first: .nanoseconds(1), factor: .infinity, longest: .seconds(Int64.max))
    #expect(huge.delay(afterAttempt: .max) == .seconds(Int64.max))
    #expect(RetryDelay.constant(.seconds(-1)).delay(afterAttempt: 1) == .zero)
    #expect(RetryDelay.exponential(first: .seconds(-1)).delay(afterAttempt: 9) == .zero)
    #expect(
      RetryDelay.exponential(first: .seconds(1), factor: .nan).delay(afterAttempt: 9) == .seconds(1)
    )
  }
}
