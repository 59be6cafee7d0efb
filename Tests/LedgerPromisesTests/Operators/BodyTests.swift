import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Where the bodies of promises run.
@Suite(.timeLimit(.minutes(10))) struct BodyTests {
  @Test func aBodyOnAnExecutorRunsThereAndWithoutAnObserver() {
    let manual = ManualPromiseExecutor()
    let isThere = Recorder<Bool>()
    let settled = Promise<Int>(in: manual.executor) { resolver in
      isThere.record(manual.isCurrent)
      resolver.fulfill(1)
    }
    let returned = Promise(in: manual.executor) {
      isThere.record(manual.isCurrent)
      return 2
    }
    #expect(isThere.events.isEmpty)
    manual.drain()
    #expect(isThere.events == [true, true])
    #expect(settled.outcome == .fulfilled(1))
    #expect(returned.outcome == .fulfilled(2))
  }

  @Test func aBodyOnTheBackgroundQueueIsNotOnTheCallingThread() async throws {
    let isThere = Promise(in: .background) { PromiseExecutor.background.isCurrent }
    #expect(try await isThere.value)
    #expect(!PromiseExecutor.background.isCurrent)
  }

  @Test func aBodyOfAnEagerPromiseRunsInsideTheInitializer() {
    let manual = ManualPromiseExecutor()
    let runs = Counter()
    let promise = Promise<Int>(on: manual.executor) { resolver in
      runs.increment()
      resolver.fulfill(1)
    }
    #expect(runs.value == 1)
    #expect(promise.outcome == .fulfilled(1))
  }

  @Test func aThrowInABodyOnAnExecutorRejects() async throws {
    let settled = Promise<Int>(in: .background) { _ in throw TestError(1) }
    #expect(testError(try await settled.settlement()) == TestError(1))
    let returned = Promise<Int>(in: .background) { throw TestError(2) }
    #expect(testError(try await returned.settlement()) == TestError(2))
    let cancelled = Promise<Int>(in: .background) { throw CancellationError() }
    #expect(try await cancelled.settlement().isCancelled)
  }

  @Test func aBodyWhosePromiseWasCancelledBeforeItsTurnNeverRuns() {
    let manual = ManualPromiseExecutor()
    let promise = Promise<Int>(in: manual.executor) { _ in Issue.record("it ran") }
    promise.cancel("why")
    manual.drain()
    #expect(promise.outcome == .cancelled("why"))
  }

  @Test func aBodyWhoseExecutorIsGoneRejects() async throws {
    let manual = ManualPromiseExecutor()
    let promise = Promise<Int>(in: manual.executor) { _ in Issue.record("it ran") }
    manual.shutDown()
    #expect(code(try await promise.settlement()) == .executorGone)
  }

  @Test @MainActor func aBodyOnTheMainActorUsesItsIsolatedState() async throws {
    var texts: [String] = []
    let settled = Promise<Int>(in: .main) { resolver in
      texts.append("settled")
      resolver.fulfill(1)
    }
    let returned = Promise(in: .main) {
      texts.append("returned")
      return 2
    }
    texts.append("before")
    #expect(try await settled.value == 1)
    #expect(try await returned.value == 2)
    #expect(texts == ["before", "settled", "returned"])
  }

  // MARK: Resolvers as completion handlers

  @Test func aResolverCanBeCalledLikeACompletionHandler() {
    let value = Promise<Int> { complete in complete(1) }
    #expect(value.outcome == .fulfilled(1))
    let success = Promise<Int> { complete in complete(Result<Int, TestError>.success(2)) }
    #expect(success.outcome == .fulfilled(2))
    let failure = Promise<Int> { complete in complete(Result<Int, TestError>.failure(TestError(3)))
    }
    #expect(testError(failure.outcome) == TestError(3))
    let pair = Promise<Int> { complete in complete(4, nil) }
    #expect(pair.outcome == .fulfilled(4))
    let both = Promise<Int> { complete in complete(4, TestError(5)) }
    #expect(testError(both.outcome) == TestError(5))
    let neither = Promise<Int> { complete in complete(nil, nil) }
    #expect(code(neither.outcome) == .noResult)
  }

  @Test func aResolverWithoutAValueCanBeCalledLikeACompletionHandler() {
    let done = Promise<Void> { complete in complete() }
    #expect(done.outcome == .fulfilled(()))
    let success = Promise<Void> { complete in complete(nil) }
    #expect(success.outcome == .fulfilled(()))
    let failure = Promise<Void> { complete in complete(TestError(1)) }
    #expect(testError(failure.outcome) == TestError(1))
  }

  @Test func anOptionalValueSurvivesACompletionHandler() {
    let nothing = Promise<Int?> { complete in complete(nil) }
    #expect(nothing.outcome == .fulfilled(nil))
    let pair = Promise<Int?> { complete in complete(.some(nil), nil) }
    #expect(pair.outcome == .fulfilled(nil))
  }
}
