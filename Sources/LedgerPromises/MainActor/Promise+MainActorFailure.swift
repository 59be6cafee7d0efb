/// Callbacks on the main actor that look after failures and ends.
extension Promise {
  /// The same as ``Promise/catch(on:includingCancellation:file:line:_:)``, on the main actor.
  @discardableResult
  public func `catch`(
    on executor: MainActorExecutor,
    includingCancellation: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ handler: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> Guarantee<Void> {
    self.catch(
      on: executor.executor, includingCancellation: includingCancellation, file: fileID, line: line
    ) { value in
      MainActor.assumeIsolated { handler(value) }
    }
  }

  /// The same as ``Promise/onError(on:includingCancellation:file:line:_:)``, on the main actor.
  @discardableResult
  public func onError(
    on executor: MainActorExecutor,
    includingCancellation: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (any Error) -> Void
  ) -> Promise<Value> {
    onError(
      on: executor.executor, includingCancellation: includingCancellation, file: fileID, line: line
    ) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }

  /// The same as ``Promise/recover(on:includingCancellation:file:line:_:)``, on the main actor.
  @discardableResult
  public func recover(
    on executor: MainActorExecutor,
    includingCancellation: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Value
  ) -> Promise<Value> {
    recover(
      on: executor.executor, includingCancellation: includingCancellation, file: fileID, line: line
    ) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }

  /// The same as ``Promise/recoverThen(on:includingCancellation:file:line:_:)``, on the main actor.
  @discardableResult
  public func recoverThen(
    on executor: MainActorExecutor,
    includingCancellation: Bool = false,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (any Error) throws -> Promise<Value>
  ) -> Promise<Value> {
    recoverThen(
      on: executor.executor, includingCancellation: includingCancellation, file: fileID, line: line
    ) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }

  /// The same as ``Promise/recoverAlways(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func recoverAlways(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (any Error) -> Value
  ) -> Guarantee<Value> {
    recoverAlways(on: executor.executor, file: fileID, line: line) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }

  /// The same as ``Promise/tap(on:file:line:_:)``, on the main actor.
  public func tap(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Outcome<Value>) -> Void
  ) -> Promise<Value> {
    tap(on: executor.executor, file: fileID, line: line) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }

  /// The same as ``Promise/ensure(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func ensure(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable () -> Void
  ) -> Promise<Value> {
    ensure(on: executor.executor, file: fileID, line: line) {
      MainActor.assumeIsolated { body() }
    }
  }

  /// The same as ``Promise/ensureAsync(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func ensureAsync(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable () throws -> Promise<Void>
  ) -> Promise<Value> {
    ensureAsync(on: executor.executor, file: fileID, line: line) {
      try MainActor.assumeIsolated { try body() }
    }
  }
}
