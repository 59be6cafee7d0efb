extension Promise {
  /// Runs an asynchronous `body` in a task of its own, at once.
  ///
  /// The value that it returns fulfils the promise, an error that it throws rejects it, and
  /// `CancellationError` cancels it. Cancelling the promise cancels the task, and settles without waiting
  /// for it.
  public init(
    on executor: PromiseExecutor = .default,
    priority: TaskPriority? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () async throws -> Value
  ) {
    self.init(
      PromiseStorage<Value>(executor: executor, site: SourceSite(file, line)), priority: priority
    ) { .fulfilled(try await body()) }
  }

  /// Runs the body of a promise, which returns the outcome.
  init(
    _ storage: PromiseStorage<Value>, priority: TaskPriority? = nil,
    _ body: @escaping @Sendable () async throws -> Outcome<Value>
  ) {
    self.init(storage)
    let task = Task(priority: priority) {
      do {
        storage.settle(try await body(), in: nil)
      } catch {
        storage.settle(thrown: error, in: nil)
      }
    }
    storage.onCancel { _ in task.cancel() }
  }

  /// The effect of cancelling the task that awaits a promise.
  @nonexhaustive public enum TaskCancellation: Sendable {
    /// The task stops waiting at once and throws `CancellationError`; the promise goes on.
    case detaches
    /// The same, and the promise is cancelled too.
    case cancelsPromise
  }

  /// Waits for the value; cancelling the task stops the waiting, not the promise.
  ///
  /// - Throws: the error of a rejected promise; a ``PromiseError`` with the code
  ///   ``PromiseError/Code/cancelled`` if the promise was cancelled; `CancellationError` if the task
  ///   was.
  public var value: Value {
    get async throws { try await value(whenTaskIsCancelled: .detaches) }
  }

  /// Waits for the value.
  ///
  /// - Throws: as ``value``.
  public func value(whenTaskIsCancelled reaction: TaskCancellation) async throws -> Value {
    try await settlement(whenTaskIsCancelled: reaction).get()
  }

  /// Waits for the outcome, whatever it is.
  ///
  /// - Throws: `CancellationError` if the task is cancelled, and nothing else.
  public func settlement(
    whenTaskIsCancelled reaction: TaskCancellation = .detaches
  ) async throws -> Outcome<Value> {
    try await settlement(whenTaskIsCancelled: reaction, for: nil)
  }

  /// - Parameter target: The promise that the waiting task settles: the outcome is wanted only while that
  ///   one's is.
  func settlement(
    whenTaskIsCancelled reaction: TaskCancellation, for target: PromiseCore?
  ) async throws -> Outcome<Value> {
    if let outcome { return outcome }
    let waiter = Waiter()
    storage.observe(triggers: .detachable) { fate, _ in
      guard let target else {
        if !fate.answer(.waiter(waiter)) { waiter.wake(.settled) }
        return
      }
      if !fate.answer(waiter.isDetached ? nil : .promise(target, .settling)) {
        waiter.wake(.settled)
      }
    }
    let wake = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiter.wait { continuation.resume(returning: $0) }
      }
    } onCancel: {
      if waiter.wake(.detached) { storage.detachObserver() }
      if reaction == .cancelsPromise { storage.cancel(.taskCancelled) }
    }
    guard wake == .settled, let outcome else { throw CancellationError() }
    return outcome
  }
}
