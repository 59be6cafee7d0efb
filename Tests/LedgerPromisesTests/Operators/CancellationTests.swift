import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Cancelling reaches the promises that a promise waits for.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
  @Test func cancellingReachesTheInnerPromise() async throws {
    let inner = Promise.make(of: Int.self)
    let entered = Recorder<Void>()
    let outer = Promise.value(1).then { _ in
      entered.record(())
      return inner.promise
    }
    await entered.events(atLeast: 1)
    await barrier(.default)
    outer.cancel("why")
    #expect(inner.promise.outcome == .cancelled("why"))
  }

  @Test func anInnerPromiseThatComesTooLateIsCancelled() async throws {
    let manual = ManualPromiseExecutor()
    let inner = Promise.make(of: Int.self)
    let outer = Recorder<Promise<Int>>()
    outer.record(
      Promise.value(1, on: manual.executor).then { _ in
        outer.events[0].cancel("why")
        return inner.promise
      })
    manual.drain()
    #expect(inner.promise.outcome == .cancelled("why"))
  }

  @Test func aRefusedPromiseGoesOnIfNothingAskedToCancel() {
    let shared = Promise.make(of: Int.self)
    let (promise, resolver) = Promise.make(of: Int.self)
    resolver.cancel("no")
    #expect(!resolver.resolve(with: shared.promise))
    #expect(promise.outcome == .cancelled("no"))
    #expect(shared.promise.isPending)
    shared.resolver.fulfill(1)
  }

  @Test func aPromiseThatIsRefusedForAnotherGoesOn() {
    let followed = Promise.make(of: Int.self)
    let shared = Promise.make(of: Int.self)
    let (promise, resolver) = Promise.make(of: Int.self)
    resolver.resolve(with: followed.promise)
    promise.cancel("why")
    #expect(!resolver.resolve(with: shared.promise))
    #expect(followed.promise.outcome == .cancelled("why"))
    #expect(shared.promise.isPending)
    shared.resolver.fulfill(1)
  }

  @Test func aCallbackThatDidNotStartDoesNotRunOnceItsPromiseIsCancelled() async {
    let manual = ManualPromiseExecutor()
    let seen = Recorder<String>()
    let promise = Promise.value(1, on: manual.executor)
    let mapped = promise.map { value in
      seen.record("map")
      return value
    }
    let ensured = promise.ensure { seen.record("ensure") }
    let tapped = promise.tap { _ in seen.record("tap") }
    mapped.cancel()
    ensured.cancel()
    tapped.cancel()
    manual.drain()
    #expect(seen.events == ["ensure", "tap"])
  }

  @Test(arguments: ["all", "tuple", "race", "any", "limit", "pass"])
  func cancellingACombinationCancelsItsPendingInputs(_ name: String) async throws {
    let first = Promise.make(of: Int.self)
    let second = Promise.make(of: Int.self)
    let inputs = [first.promise, second.promise]
    let cancelled = Recorder<String>()
    let started = Recorder<Void>()
    first.resolver.onCancel { _ in cancelled.record("first") }
    second.resolver.onCancel { _ in cancelled.record("second") }
    let cancel: () -> Void
    switch name {
    case "all":
      let all = Promise.all(inputs)
      cancel = { _ = all.cancel() }
    case "tuple":
      let tuple = Promise.all(inputs[0], inputs[1])
      cancel = { _ = tuple.cancel() }
    case "race":
      let race = Promise.race(inputs)
      cancel = { _ = race.cancel() }
    case "any":
      let any = Promise.any(inputs)
      cancel = { _ = any.cancel() }
    case "limit":
      let mapped = Promise.mapInParallel(inputs, limit: 2) { input in
        started.record(())
        return input
      }
      await started.events(atLeast: 2)
      await barrier(.default)
      cancel = { _ = mapped.cancel() }
    default:
      let passed = Promise.value(0).pass { _ in Promise.all(inputs) }
      await barrier(.default)
      await barrier(.default)
      cancel = { _ = passed.cancel() }
    }
    cancel()
    #expect(await cancelled.events(atLeast: 2) == ["first", "second"])
  }

  @Test func cancellingAReductionCancelsItsStepAndBeginsNoOther() async {
    let step = Promise.make(of: Int.self)
    let begun = Recorder<Int>()
    let sum = Promise<Int>.reduce([1, 2, 3], 0) { _, number in
      begun.record(number)
      return step.promise
    }
    await begun.events(atLeast: 1)
    await barrier(.default)
    #expect(sum.cancel("why"))
    #expect(step.promise.outcome == .cancelled("why"))
    step.resolver.fulfill(1)
    await barrier(.default)
    #expect(begun.events == [1])
  }

  @Test(arguments: ["all", "race"])
  func aCancelledInputLetsTheOthersGoOn(_ name: String) async throws {
    let first = Promise.make(of: Int.self)
    let second = Promise.make(of: Int.self)
    let inputs = [first.promise, second.promise]
    let result = name == "all" ? Promise.all(inputs).asVoid() : Promise.race(inputs).asVoid()
    first.promise.cancel("why")
    #expect(try await result.settlement().isCancelled)
    #expect(second.promise.isPending)
    second.resolver.fulfill(2)
  }

  @Test func aPromiseThatIsMadeTooLateGoesOnIfNothingAskedToCancel() {
    let manual = ManualPromiseExecutor()
    let first = Promise.make(of: Int.self)
    let shared = Promise.make(of: Int.self)
    let run = Promise.mapInParallel([1, 2], limit: 2, on: manual.executor) { number in
      if number == 1 { return first.promise }
      first.promise.cancel("why")
      return shared.promise
    }
    manual.drain()
    #expect(run.outcome == .cancelled("why"))
    #expect(shared.promise.isPending)
    shared.resolver.fulfill(2)
  }

  @Test func aPromiseThatIsMadeTooLateForARequestIsCancelled() {
    let manual = ManualPromiseExecutor()
    let inner = Promise.make(of: Int.self)
    let run = Recorder<Promise<[Int]>>()
    run.record(
      Promise.mapInParallel([1, 2], limit: 2, on: manual.executor) { _ in
        run.events[0].cancel("why")
        return inner.promise
      })
    manual.drain()
    #expect(inner.promise.outcome == .cancelled("why"))
  }

  @Test func aFailureStopsPullingButLetsTheOthersGoOn() async throws {
    let pulled = Counter()
    let failing = Promise.make(of: Int.self)
    let other = Promise.make(of: Int.self)
    let all = Promise.mapInParallel(0..<100, limit: 2) { number in
      pulled.increment()
      return number == 0 ? failing.promise : other.promise
    }
    failing.resolver.reject(TestError(1))
    #expect(testError(try await all.settlement()) == TestError(1))
    await barrier(.default)
    #expect(pulled.value <= 2)
    #expect(other.promise.isPending)
    other.resolver.fulfill(1)
  }

  @Test(arguments: [Outcome<Int>.rejected(TestError(1)), .cancelled("why")])
  func aFailureThatIsThereAtOnceStopsPulling(_ outcome: Outcome<Int>) async throws {
    let pulled = Counter()
    let all = Promise.mapInParallel(0..<100, limit: 10) { _ in
      pulled.increment()
      return .settled(outcome)
    }
    let failed = try await all.settlement()
    await barrier(.default)
    #expect("\(failed)" == "\(outcome)")
    #expect(pulled.value == 1)
  }

  @Test func aTokenCancelsPromisesBoundToItNowAndLater() async throws {
    let token = CancellationToken()
    let early = Promise.make(of: Int.self)
    let lazy = Promise<Int>.lazy { _ in Issue.record("the body of a cancelled lazy promise ran") }
    early.promise.cancelled(by: token)
    lazy.cancelled(by: token)
    #expect(token.cancel("why"))
    #expect(!token.cancel("again"))
    let late = Promise.make(of: Int.self)
    late.promise.cancelled(by: token)
    #expect(early.promise.outcome == .cancelled("why"))
    #expect(lazy.outcome == .cancelled("why"))
    #expect(late.promise.outcome == .cancelled("why"))
    #expect(token.reason == "why")
  }

  @Test func aTokenBehindTheWorkEndsTheWorkAndEveryChainBehindIt() async throws {
    let token = CancellationToken()
    let (work, resolver) = Promise.make(of: Int.self)
    let hasEnded = Recorder<Void>()
    resolver.onCancel { _ in hasEnded.record(()) }
    work.cancelled(by: token)
    let chains = [work.map { $0 + 1 }, work.get { _ in Issue.record("it ran") }]
    token.cancel("why")
    await hasEnded.events(atLeast: 1)
    for (index, chain) in chains.enumerated() {
      #expect(try await chain.settlement() == .cancelled("why"), "\(index)")
    }
  }

  @Test func aTokenAtTheEndOfAChainStopsTheLastClosureAndNotTheWork() async throws {
    let token = CancellationToken()
    let (work, resolver) = Promise.make(of: Int.self)
    resolver.onCancel { _ in Issue.record("the work was cancelled") }
    let seen = Recorder<Int>()
    let other = work.get { seen.record($0) }
    let end = work.map { $0 + 1 }.done { _ in Issue.record("it ran") }.cancelled(by: token)
    token.cancel("why")
    resolver.fulfill(7)
    #expect(try await other.value == 7)
    #expect(end.outcome == .cancelled("why"))
    #expect(seen.events == [7])
  }

  @Test func aTokenLeavesSettledPromisesAlone() {
    let token = CancellationToken()
    let promise = Promise.value(1).cancelled(by: token)
    token.cancel()
    #expect(promise.outcome == .fulfilled(1))
  }

  @Test func cancelHandlersRunOnceAndAlsoWhenTheyComeLate() {
    let seen = Recorder<String>()
    let (promise, resolver) = Promise.make(of: Int.self)
    resolver.onCancel { seen.record("early \($0)") }
    #expect(promise.cancel("why"))
    #expect(!promise.cancel("again"))
    resolver.onCancel { seen.record("late \($0)") }
    #expect(seen.events == ["early why", "late why"])
  }

  @Test func cancelHandlersRunAlsoIfThePromiseThatIsFollowedWasCancelled() async throws {
    let seen = Recorder<String>()
    let inner = Promise.make(of: Int.self)
    let (promise, resolver) = Promise.make(of: Int.self)
    resolver.onCancel { seen.record("\($0)") }
    resolver.resolve(with: inner.promise)
    inner.promise.cancel("why")
    #expect(try await promise.settlement() == .cancelled("why"))
    await barrier(.default)
    #expect(seen.events == ["why"])
  }

  @Test func cancelHandlersDoNotRunForOtherOutcomes() {
    let (promise, resolver) = Promise.make(of: Int.self)
    resolver.onCancel { _ in Issue.record("not cancelled") }
    resolver.fulfill(1)
    resolver.onCancel { _ in Issue.record("not cancelled") }
    #expect(promise.outcome == .fulfilled(1))
  }

  @Test func aHandlerForRequestsIsNotCalledForOtherCancellations() {
    let (promise, resolver) = Promise.make(of: Int.self)
    promise.onCancellationRequest { _ in Issue.record("not requested") }
    resolver.cancel()
    promise.onCancellationRequest { _ in Issue.record("not requested") }
    let requested = Promise.make(of: Int.self)
    requested.promise.cancel("why")
    let seen = Recorder<CancellationReason>()
    requested.promise.onCancellationRequest { seen.record($0) }
    #expect(seen.events == ["why"])
  }

  @Test func catchSeesACancellationOnlyIfItAsks() async {
    let seen = Recorder<String>()
    let promise = Promise<Int>.cancelled("why")
    promise.catch { _ in seen.record("error") }.finally { seen.record("finally") }
    await seen.events(atLeast: 1)
    promise.catch(includingCancellation: true) {
      seen.record("\(($0 as? PromiseError)?.cancellationReason?.message ?? "")")
    }
    #expect(await seen.events(atLeast: 2) == ["finally", "why"])
  }
}
