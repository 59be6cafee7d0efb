import LedgerPromises
import Testing

/// Callbacks that the compiler knows to be on the main actor.
@Suite(.timeLimit(.minutes(10))) struct MainActorTests {
  /// Represents a view.
  @MainActor private final class Label {
    var texts: [String] = []
  }

  @Test func callbacksRunInOrder() async throws {
    let label = Label()
    let (promise, resolver) = Promise.make(of: Int.self)
    let ends = (0..<100).map { number in
      // By turns as the compiler knows it, and as it does not.
      number.isMultiple(of: 2)
        ? promise.done(on: .main) { label.texts.append("\(number) \($0)") }
        : promise.done(on: PromiseExecutor.main) { value in
          MainActor.assumeIsolated { label.texts.append("\(number) \(value)") }
        }
    }
    Task.detached { resolver.fulfill(7) }
    _ = try await Promise.all(ends).value
    #expect(await label.texts == (0..<100).map { "\($0) 7" })
  }

  @Test @MainActor func aCallbackNeverRunsInsideTheCallThatSettles() async throws {
    let label = Label()
    let (promise, resolver) = Promise.make(of: Int.self)
    let end = promise.done(on: .main) { label.texts.append("\($0)") }
    resolver.fulfill(7)
    label.texts.append("after")
    try await end.value
    #expect(label.texts == ["after", "7"])
  }

  @Test func aCallbackKnowsItsExecutor() async throws {
    let isCurrent = Promise.value(1).map(on: .main) { _ in PromiseExecutor.main.isCurrent }
    #expect(try await isCurrent.value)
  }

  @Test func aThrowInACallbackRejects() async throws {
    let label = Label()
    let failed = Promise.value(1).done(on: .main) { value in
      label.texts.append("\(value)")
      throw TestError(value)
    }
    #expect(testError(try await failed.settlement()) == TestError(1))
  }

  @Test func stepsOfARecipeRunOnTheMainActorWhereverItIsStarted() async throws {
    let label = Label()
    let recipe = ColdPromise(on: .main) {
      label.texts.append("make")
      return Promise.value(label)
    }
    .then(on: .main) { label in label.texts.append("then") }
    .bind(on: .main) { _ in
      label.texts.append("bind")
      return ColdPromise<Int>.rejected(TestError(1))
    }
    .recover(on: .main) { _ in label.texts.count }
    #expect(try await recipe.execute(on: .inline) == 3)
    #expect(try await recipe.execute() == 6)
    #expect(await label.texts == ["make", "then", "bind", "make", "then", "bind"])
  }

  @Test func attemptsAreMadeOnTheMainActor() async throws {
    let label = Label()
    let count = Promise.retry(attempts: 3, on: .main) { attempt in
      label.texts.append("\(attempt)")
      return attempt < 3 ? Promise<Int>.rejected(TestError(attempt)) : .value(label.texts.count)
    }
    #expect(try await count.value == 3)
  }
}
