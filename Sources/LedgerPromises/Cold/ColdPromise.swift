/// A recipe for a promise: nothing runs until it is executed, and then the whole recipe does, each time.
///
/// ```swift
/// let page = ColdPromise { fetch(url) }.then { parse($0) }
/// let first = try await page.execute()  // fetches
/// let second = try await page.execute()  // fetches again
/// ```
/// It is a value: copying it, or building on it, runs nothing and shares nothing. With `value`, `bind`
/// and `then` it obeys the monad laws: for each `a`, `f`, `g`, executing the two sides gives equal
/// outcomes.
/// - `value(a).bind(f)` and `f(a)`
/// - `m.bind { .value($0) }` and `m`
/// - `m.bind(f).bind(g)` and `m.bind { f($0).bind(g) }`
///
/// A recipe of any number of steps is built, run and released without using up the stack.
public struct ColdPromise<Value: Sendable>: Sendable {
  private let last: ColdStep

  private init(last: ColdStep) {
    self.last = last
  }

  /// A recipe that begins with a promise made by `make`. A throw is a rejection.
  public init(_ make: @escaping @Sendable () throws -> Promise<Value>) {
    self.last = ColdSource<Value> { executor in
      Promise<Void>.value((), on: executor).then { try make() }
    }
  }

  /// A recipe that begins with a call that completes later.
  ///
  /// ```swift
  /// let image = ColdPromise<Image> { complete in
  ///   loader.load(url) { complete($0, $1) }
  /// }
  /// ```
  /// Each run calls `body` on its executor, with a ``Resolver`` that can be called like a completion
  /// handler. A throw is a rejection. A run whose resolver is released without having been called is
  /// rejected with ``PromiseError/Code/abandoned``.
  ///
  /// - Parameters:
  ///   - file: Where the promises of the runs were made, for diagnostics.
  ///   - line: Where the promises of the runs were made, for diagnostics.
  ///   - body: Settles the promise of a run, now or later.
  public init(
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Resolver<Value>) throws -> Void
  ) {
    self.last = ColdSource<Value> { Promise(in: $0, file: file, line: line, body) }
  }

  /// A recipe that runs an asynchronous body.
  public static func task(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> ColdPromise<Value> {
    ColdPromise(last: ColdSource<Value> { Promise(on: $0, body) })
  }

  /// A recipe that gives a value.
  public static func value(_ value: Value) -> ColdPromise<Value> {
    settled(.fulfilled(value))
  }

  /// A recipe that fails.
  public static func rejected(_ error: any Error) -> ColdPromise<Value> {
    settled(.rejected(error))
  }

  /// A recipe that has an outcome.
  public static func settled(_ outcome: Outcome<Value>) -> ColdPromise<Value> {
    ColdPromise(last: ColdSource<Value> { .settled(outcome, on: $0) })
  }

  /// Adds a step that turns the value into another one.
  public func then<NewValue: Sendable>(
    _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> ColdPromise<NewValue> {
    adding { promise, executor in promise.map(on: executor, transform) }
  }

  /// Adds a step that goes on with another recipe, made from the value.
  public func bind<NewValue: Sendable>(
    _ next: @escaping @Sendable (Value) throws -> ColdPromise<NewValue>
  ) -> ColdPromise<NewValue> {
    adding { promise, executor in
      promise.then(on: executor) { try next($0).start(on: executor) }
    }
  }

  /// Adds a step for each element of a sequence; each step gets the value of the one before.
  ///
  /// ```swift
  /// let show = ColdPromise.value(view).sequence(animations) { view, animation in
  ///   view.animate(animation)
  /// }
  /// ```
  /// The recipes run one after the other, in the order of the elements. The first failure ends the run. No
  /// elements add no step.
  ///
  /// - Complexity: O(n) in the number of elements, which are read now.
  public func sequence<Elements: Sequence>(
    _ elements: Elements,
    _ next: @escaping @Sendable (Value, Elements.Element) throws -> ColdPromise<Value>
  ) -> ColdPromise<Value> where Elements.Element: Sendable {
    elements.reduce(self) { recipe, element in recipe.bind { try next($0, element) } }
  }

  /// Runs a recipe whose value is a recipe, and then that one.
  public func join<Inner: Sendable>() -> ColdPromise<Inner> where Value == ColdPromise<Inner> {
    bind { $0 }
  }

  /// Adds a step that replaces a failure by a value.
  public func recover(
    includingCancellation: Bool = false,
    _ body: @escaping @Sendable (any Error) throws -> Value
  ) -> ColdPromise<Value> {
    adding { promise, executor in
      promise.recover(on: executor, includingCancellation: includingCancellation, body)
    }
  }

  /// Runs the whole recipe and gives the hot promise of this run.
  ///
  /// Cancelling that promise cancels the run: the step that is running, and every one behind it.
  ///
  /// ```swift
  /// recipe.start()
  /// ```
  /// The result may be ignored: the run goes on without it, and a failure that nothing handles is reported
  /// as ``PromiseDiagnostic/Kind/unhandledRejection(_:)``.
  ///
  /// - Complexity: O(n) in the number of steps.
  @discardableResult
  public func start(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line
  ) -> Promise<Value> {
    var steps = [last]
    while let previous = steps.last?.previous { steps.append(previous) }
    var promise: PromiseCore?
    while let step = steps.popLast() {
      let next = step.run(after: promise, on: executor)
      // Nothing but the next step has the promise of this one.
      if let promise { next?.sendCancellations(to: promise) }
      promise = next
    }
    guard let storage = promise as? PromiseStorage<Value> else {
      // Unreachable: each step is built for the type of the one before it.
      let error = PromiseError.invalidInput(
        "A step received a value of another type.", site: SourceSite(file, line))
      return .rejected(error, on: executor, file: file, line: line)
    }
    return Promise(storage)
  }

  /// Runs the whole recipe and waits for its value, which may be ignored; cancelling the task cancels this
  /// run.
  ///
  /// - Throws: as ``Promise/value(whenTaskIsCancelled:)``.
  @discardableResult
  public func execute(on executor: PromiseExecutor = .default) async throws -> Value {
    try await start(on: executor).value(whenTaskIsCancelled: .cancelsPromise)
  }

  /// A recipe whose runs all give one promise.
  init(started promise: Promise<Value>) {
    self.last = ColdSource<Value> { _ in promise }
  }

  func adding<NewValue: Sendable>(
    _ attach: @escaping @Sendable (Promise<Value>, PromiseExecutor) -> Promise<NewValue>
  ) -> ColdPromise<NewValue> {
    ColdPromise<NewValue>(
      last: ColdLink<Value>(after: last) { promise, executor in attach(promise, executor).storage })
  }
}
