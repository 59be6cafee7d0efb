import LedgerPromises
import LedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

/// Recipes: no code runs until execution, and the monad laws hold.
@Suite(.timeLimit(.minutes(10))) struct ColdPromiseTests {
  @Test func nothingRunsUntilItIsExecutedAndThenEverythingDoesEachTime() async throws {
    let runs = Counter()
    let recipe = ColdPromise {
      runs.increment()
      return Promise.value(1)
    }.then { $0 + 1 }.bind { .value($0 * 10) }
    #expect(runs.value == 0)
    #expect(try await recipe.execute() == 20)
    #expect(try await recipe.start().value == 20)
    #expect(runs.value == 2)
  }

  @Test func buildingOnARecipeLeavesItAsItWas() async throws {
    let base = ColdPromise.value(1)
    let left = base.then { $0 + 1 }
    let right = base.then { $0 + 2 }
    #expect(try await base.execute() == 1)
    #expect(try await left.execute() == 2)
    #expect(try await right.execute() == 3)
  }

  @Test func cancellingTheTaskCancelsTheRun() async {
    let inner = Promise.make(of: Int.self)
    let started = Recorder<Void>()
    let cancelled = Recorder<Void>()
    inner.resolver.onCancel { _ in cancelled.record(()) }
    let recipe = ColdPromise.value(0).bind { _ in
      ColdPromise {
        started.record(())
        return inner.promise
      }
    }
    let task = Task { try await recipe.execute() }
    await started.events(atLeast: 1)
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    await cancelled.events(atLeast: 1)
  }

  @Test func cancellingARunReachesTheStepThatIsRunning() async {
    let resolvers = Recorder<Resolver<Int>>()
    let cancelled = Recorder<CancellationReason>()
    let recipe = ColdPromise<Int> { resolver in
      resolver.onCancel { cancelled.record($0) }
      resolvers.record(resolver)
    }
    let run = recipe.then { $0 }.bind { .value($0) }.then { $0 }.start()
    await resolvers.events(atLeast: 1)
    #expect(run.cancel("why"))
    #expect(cancelled.events == ["why"])
  }

  @Test func cancellingASequenceStartsNoFurtherStep() async {
    let step = Promise.make(of: Int.self)
    let started = Recorder<Int>()
    let recipe = ColdPromise.value(0).sequence(1...5) { _, number in
      ColdPromise {
        started.record(number)
        return step.promise
      }
    }
    let run = recipe.start()
    await started.events(atLeast: 1)
    await barrier(.default)
    #expect(run.cancel("why"))
    #expect(step.promise.outcome == .cancelled("why"))
    step.resolver.fulfill(1)
    await barrier(.default)
    await barrier(.default)
    #expect(started.events == [1])
  }

  @Test func aRecipeMayBeginWithACallThatCompletesLater() async throws {
    let runs = Counter()
    let recipe = ColdPromise<Int> { complete in
      runs.increment()
      Task { complete(runs.value) }
    }.then { $0 * 10 }
    #expect(runs.value == 0)
    #expect(try await recipe.execute() == 10)
    #expect(try await recipe.execute() == 20)
    let failed = ColdPromise<Int> { complete in complete(.failure(TestError(1))) }
    #expect(testError(try await failed.start().settlement()) == TestError(1))
    let thrown = ColdPromise<Int> { _ in throw TestError(2) }
    #expect(testError(try await thrown.start().settlement()) == TestError(2))
    let dropped = ColdPromise<Int> { _ in }
    #expect(code(try await dropped.start().settlement()) == .abandoned)
  }

  @Test func theFirstCallRunsOnTheExecutorOfTheRun() async throws {
    let manual = ManualPromiseExecutor()
    let isThere = Recorder<Bool>()
    let recipe = ColdPromise<Int> { complete in
      isThere.record(manual.isCurrent)
      complete(1)
    }
    let run = recipe.start(on: manual.executor)
    #expect(isThere.events.isEmpty)
    manual.drain()
    #expect(isThere.events == [true])
    #expect(run.outcome == .fulfilled(1))
  }

  @Test func aSequenceRunsItsStepsInOrderEachWithTheValueOfTheOneBefore() async throws {
    let steps = Recorder<String>()
    let recipe = ColdPromise.value(1).sequence([2, 3, 4]) { value, factor in
      steps.record("\(value) * \(factor)")
      return .value(value * factor)
    }
    #expect(steps.events.isEmpty)
    #expect(try await recipe.execute() == 24)
    #expect(steps.events == ["1 * 2", "2 * 3", "6 * 4"])
    #expect(try await ColdPromise.value(7).sequence([Int]()) { .value($0 + $1) }.execute() == 7)
  }

  @Test func aSequenceEndsWithTheFirstFailure() async throws {
    let steps = Recorder<Int>()
    let recipe = ColdPromise.value(0).sequence(1...4) { value, number in
      steps.record(number)
      return number == 2 ? .rejected(TestError(number)) : .value(value + number)
    }
    #expect(testError(try await recipe.start().settlement()) == TestError(2))
    #expect(steps.events == [1, 2])
  }

  @Test func aSequenceOfAnyLengthNeedsNoStack() async {
    let outcome = Box<Outcome<Int>>(Mutex(nil))
    await onSmallStack {
      let recipe = ColdPromise.value(0).sequence(0..<100_000) { value, _ in .value(value + 1) }
      let manual = ManualPromiseExecutor()
      let run = recipe.start(on: manual.executor)
      while run.isPending { manual.drain() }
      if let settled = run.outcome { outcome.set(settled) }
    }
    #expect(outcome.take() == .fulfilled(100_000))
  }

  @Test func aRecipeCanBeRetried() async throws {
    let runs = Counter()
    let recipe = ColdPromise<Int> { complete in
      runs.increment()
      complete(runs.value == 3 ? .success(runs.value) : .failure(TestError(runs.value)))
    }
    #expect(try await Promise.retry(attempts: 5) { _ in recipe.start() }.value == 3)
  }

  @Test func joinRunsTheInnerRecipe() async throws {
    #expect(try await ColdPromise.value(ColdPromise.value(3)).join().execute() == 3)
    let rejected = ColdPromise<Int>.rejected(TestError(1)).recover { _ in 4 }
    #expect(try await rejected.execute() == 4)
    #expect(try await ColdPromise.task { 5 }.execute() == 5)
  }

  @Test(arguments: [UInt64.random(in: 1...UInt64.max), 1, 2, 3])
  func theMonadLawsHold(_ seed: UInt64) async throws {
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let value = Int.random(in: -5...5, using: &generator)
      let recipe = Kleisli(&generator).apply(value)
      let first = Kleisli(&generator)
      let second = Kleisli(&generator)
      let context = Comment(rawValue: "seed \(seed), \(value), \(first), \(second)")

      let leftIdentity = ColdPromise.value(value).bind { first.apply($0) }
      #expect(try await same(leftIdentity, first.apply(value)), context)
      #expect(try await same(recipe.bind { .value($0) }, recipe), context)
      let stepwise = recipe.bind { first.apply($0) }.bind { second.apply($0) }
      let nested = recipe.bind { first.apply($0).bind { second.apply($0) } }
      #expect(try await same(stepwise, nested), context)
      let mapped = recipe.then { $0 + 1 }
      #expect(try await same(mapped, recipe.bind { .value($0 + 1) }), context)
    }
  }

  private func same(_ left: ColdPromise<Int>, _ right: ColdPromise<Int>) async throws -> Bool {
    try await left.start().settlement() == right.start().settlement()
  }

  /// A random function from a value to a recipe.
  private struct Kleisli: Sendable {
    private let kind: Int
    private let number: Int

    init(_ generator: inout SeededGenerator) {
      kind = Int.random(in: 0..<7, using: &generator)
      number = Int.random(in: 1...9, using: &generator)
    }

    func apply(_ value: Int) -> ColdPromise<Int> {
      let number = number
      switch kind {
      case 0: return .value(value &+ number)
      case 1: return ColdPromise { .value(value &* number) }
      case 2: return ColdPromise.value(value).then { $0 % number }
      case 3: return .rejected(TestError(number))
      case 4: return ColdPromise.task { value - number }
      case 5: return .settled(.cancelled(CancellationReason("\(number)")))
      default: return ColdPromise { throw TestError(value) }
      }
    }
  }
}
