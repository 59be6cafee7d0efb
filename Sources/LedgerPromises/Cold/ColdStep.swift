/// One step of a recipe, linked to the one before, so that adding a step takes constant time and leaves
/// other recipes built on the same steps as they are.
class ColdStep: @unchecked Sendable {
  // @unchecked because `previous` changes only in `deinit`, when nothing else has the step.
  private(set) final var previous: ColdStep?

  init(previous: ColdStep?) {
    self.previous = previous
  }

  deinit {
    // Without recursion, because a recipe may have a million steps.
    var next = previous.take()
    while next != nil, isKnownUniquelyReferenced(&next) {
      let following = next?.takePrevious()
      next = following
    }
  }

  /// Attaches this step to the promise that the step before gave.
  func run(after promise: PromiseCore?, on executor: PromiseExecutor) -> PromiseCore? {
    nil
  }

  private final func takePrevious() -> ColdStep? { previous.take() }
}

/// The first step of a recipe: makes a promise.
final class ColdSource<Value: Sendable>: ColdStep, @unchecked Sendable {
  // @unchecked because `ColdStep` is.
  private let make: @Sendable (PromiseExecutor) -> Promise<Value>

  init(_ make: @escaping @Sendable (PromiseExecutor) -> Promise<Value>) {
    self.make = make
    super.init(previous: nil)
  }

  override func run(after promise: PromiseCore?, on executor: PromiseExecutor) -> PromiseCore? {
    make(executor).storage
  }
}

/// A further step: goes on from a promise to the next.
final class ColdLink<Input: Sendable>: ColdStep, @unchecked Sendable {
  // @unchecked because `ColdStep` is.
  private let attach: @Sendable (Promise<Input>, PromiseExecutor) -> PromiseCore

  init(
    after previous: ColdStep,
    _ attach: @escaping @Sendable (Promise<Input>, PromiseExecutor) -> PromiseCore
  ) {
    self.attach = attach
    super.init(previous: previous)
  }

  override func run(after promise: PromiseCore?, on executor: PromiseExecutor) -> PromiseCore? {
    guard let storage = promise as? PromiseStorage<Input> else { return nil }
    return attach(Promise(storage), executor)
  }
}
