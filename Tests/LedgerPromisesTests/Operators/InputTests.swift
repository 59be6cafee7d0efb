import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Hard rule 8 and bad input of every kind: the results follow the rules, without a hang or a trap.
@Suite(.timeLimit(.minutes(10))) struct InputTests {
  @Test func nothingIsCollectedAsNothing() async throws {
    let none: [Promise<Int>] = []
    #expect(try await Promise.all(none).value == [])
    #expect(await Promise.allSettled(none).value == [])
    #expect(try await Promise.all().settlement().isFulfilled)
    #expect(try await Promise.mapInSeries([Int]()) { .value($0) }.value == [])
    #expect(try await Promise.mapInParallel([Int]()) { .value($0) }.value == [])
    #expect(try await Promise.reduce([Int](), 7) { .value($0 + $1) }.value == 7)
    for await _ in none.inCompletionOrder() { Issue.record("nothing completes") }
  }

  @Test func aRaceBetweenNothingIsInvalidInput() async throws {
    let none: [Promise<Int>] = []
    #expect(code(try await Promise.race(none).settlement()) == .invalidInput)
    #expect(code(try await Promise.any(none).settlement()) == .invalidInput)
  }

  @Test func valuesHaveTheOrderOfTheInputsAndNotThatOfTheirSettlement() async throws {
    let inputs = (0..<3).map { _ in Promise.make(of: Int.self) }
    let run = Promise.mapInParallel(inputs.map(\.promise), limit: 3, on: .inline) { $0 }
    for index in [2, 0, 1] { inputs[index].resolver.fulfill(index) }
    #expect(try await run.value == [0, 1, 2])
  }

  @Test func aRunMayEndWhileItsSequenceIsAskedForMore() {
    let manual = ManualPromiseExecutor()
    let first = Promise.make(of: Int.self)
    let asked = Counter()
    let factories = AnyIterator<@Sendable () throws -> Promise<Int>> {
      asked.increment()
      if asked.value == 1 { return { first.promise } }
      first.resolver.reject(TestError(1))
      return nil
    }
    let run = Promise.all(limit: 2, on: manual.executor, factories: factories)
    manual.drain()
    #expect(testError(run.outcome) == TestError(1))
    #expect(asked.value == 2)
  }

  @Test(arguments: [0, -1, Int.min])
  func aLimitBelowOneIsInvalidInputAndPullsNothing(_ limit: Int) async throws {
    let result = Promise.mapInParallel(0..<3, limit: limit) { number -> Promise<Int> in
      Issue.record("pulled")
      return .value(number)
    }
    #expect(code(try await result.settlement()) == .invalidInput)
  }

  @Test(arguments: [0, -1, Int.min])
  func attemptsBelowOneAreInvalidInputAndRunNothing(_ attempts: Int) async throws {
    let result = Promise<Int>.retry(attempts: attempts) { _ in
      Issue.record("run")
      return .value(1)
    }
    #expect(code(try await result.settlement()) == .invalidInput)
  }

  @Test func aSequenceThatCanBeReadOnceIsReadOnce() async throws {
    var next = 0
    let once = AnyIterator {
      next += 1
      return next <= 5 ? next : nil
    }
    let promises = AnyIterator { once.next().map { Promise.value($0) } }
    #expect(try await Promise.all(promises).value == [1, 2, 3, 4, 5])
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
  func delaysOfNothingOrLessAreNoDelay(_ duration: Duration) async throws {
    let clock = ManualClock()
    #expect(try await Promise.after(duration, clock: clock).settlement().isFulfilled)
    #expect(try await Promise.value(1).delay(duration, clock: clock).value == 1)
    #expect(try await Promise.value(1).timeout(duration, clock: clock).value == 1)
    let (pending, resolver) = Promise.make(of: Int.self)
    #expect(code(try await pending.timeout(duration, clock: clock).settlement()) == .timedOut)
    resolver.fulfill(1)
  }

  @Test func aDurationThatNoClockCanCountIsForEver() {
    let longest = Duration.seconds(Int64.max)
    let (promise, resolver) = Promise.make(of: Int.self)
    let limited = promise.timeout(longest)
    resolver.fulfill(1)
    #expect(limited.outcome == .fulfilled(1))
    #expect(Promise.after(longest).cancel())
  }

  @Test func aLazyPromiseThatIsCancelledBeforeItsTurnNeverRuns() {
    let manual = ManualPromiseExecutor()
    let lazy = Promise<Int>.lazy(on: manual.executor) { _ in Issue.record("it ran") }
    lazy.done { _ in }
    lazy.cancel()
    manual.drain()
    #expect(lazy.outcome?.isCancelled == true)
  }

  @Test(arguments: [Duration.zero, .seconds(-1), .nanoseconds(Int64.min)])
  func aBlockingWaitOfNothingOrLessTimesOutAtOnce(_ timeout: Duration) async {
    let (promise, resolver) = Promise.make(of: Int.self)
    await onSmallStack {
      let error = #expect(throws: PromiseError.self) { try promise.wait(timeout: timeout) }
      #expect(error?.code == .timedOut)
    }
    resolver.fulfill(1)
  }

  @Test func aBodyThatThrowsAfterSettlingIsIgnored() {
    DiagnosticRecorder.install()
    let promise = Promise<Int> { resolver in
      resolver.fulfill(1)
      throw TestError()
    }
    #expect(promise.outcome == .fulfilled(1))
    #expect(DiagnosticRecorder.kinds(line: #line - 5) == ["settledTwice"])
  }

  @Test func aBodyThatThrowsRejects() {
    let promise = Promise<Int> { _ in throw TestError(3) }
    #expect(testError(promise.outcome) == TestError(3))
  }

  @Test func aCompletionHandlerWithNothingIsAnError() async throws {
    #expect(code(Promise<Int>.wrap { $0(nil, nil) }.outcome) == .noResult)
    #expect(Promise<Int>.wrap { $0(1, nil) }.outcome == .fulfilled(1))
    #expect(testError(Promise<Int>.wrap { $0(1, TestError(2)) }.outcome) == TestError(2))
    #expect(code(Promise<Int>.wrap { _ in }.outcome) == .abandoned)
    #expect(testError(Promise<Int>.wrap { _ in throw TestError(4) }.outcome) == TestError(4))
    #expect(Promise<Int>.wrapValue { $0(3) }.outcome == .fulfilled(3))
    #expect(Promise<Void>.wrapError { $0(nil) }.outcome?.isFulfilled == true)
    #expect(testError(Promise<Void>.wrapError { $0(TestError(5)) }.outcome) == TestError(5))
    let result = Promise<Int>.wrapResult { $0(Result<Int, TestError>.failure(TestError(6))) }
    #expect(testError(result.outcome) == TestError(6))
  }

  @Test func theErrorsOfAnyAreInInputOrder() async throws {
    let inputs = [1, 2, 3].map { Promise<Int>.rejected(TestError($0)) }
    let outcome = try await Promise.any(inputs).settlement()
    let errors = (outcome.error as? PromiseError)?.attachedErrors as? [TestError]
    #expect(errors == [TestError(1), TestError(2), TestError(3)])
  }

  @Test func ensureAsyncKeepsTheFirstErrorAndAttachesTheSecond() async throws {
    let chain = Promise<Int>.rejected(TestError(1)).ensureAsync { .rejected(TestError(2)) }
    let error = try await chain.settlement().error as? PromiseError
    #expect(error?.cause as? TestError == TestError(1))
    #expect(error?.attachedErrors as? [TestError] == [TestError(2)])
    let cancelled = Promise<Int>.cancelled("why").ensureAsync { .rejected(TestError(2)) }
    guard case .cancelled(let reason) = try await cancelled.settlement() else {
      Issue.record("not cancelled")
      return
    }
    #expect(reason.attachedError as? TestError == TestError(2))
  }

  @Test func severalCatchesAllRun() async {
    let seen = Recorder<Int>()
    let promise = Promise<Int>.rejected(TestError())
    for number in 0..<3 { promise.catch { _ in seen.record(number) } }
    #expect(await seen.events(atLeast: 3) == [0, 1, 2])
  }

  @Test func valuesAreCollectedInInputOrderNotInCompletionOrder() async throws {
    let pairs = (0..<3).map { _ in Promise.make(of: Int.self) }
    let all = Promise.all(pairs.map(\.promise))
    for index in [2, 0, 1] { pairs[index].resolver.fulfill(index) }
    #expect(try await all.value == [0, 1, 2])
  }

  @Test func aGuaranteeAlwaysDelivers() async {
    DiagnosticRecorder.install()
    #expect(await Guarantee.value(1).map { $0 + 1 }.get { _ in }.value == 2)
    #expect(await Guarantee(ifDropped: 7) { deliver in deliver(1) }.value == 1)
    #expect(await Guarantee(ifDropped: 7) { _ in }.value == 7)
    let manual = ManualPromiseExecutor()
    let gone = manual.executor
    manual.shutDown()
    #expect(await Promise<Int>.rejected(TestError()).recoverAlways(on: gone) { _ in 5 }.value == 5)
    #expect(await Guarantee.value(1).map(on: gone) { $0 + 1 }.value == 2)
  }

  @Test func aGuaranteeOutlivesTheCancellationOfItsPromise() async throws {
    let deliver = Recorder<@Sendable (Int) -> Void>()
    let guarantee = Guarantee(ifDropped: 7) { deliver.record($0) }
    guarantee.asPromise().cancel()
    deliver.events[0](3)
    #expect(await guarantee.value == 3)
    #expect(try await guarantee.then { .value($0 + 1) }.value == 4)
  }
}
