/// Callbacks on the main actor.
extension Guarantee {
  /// The same as ``Guarantee/map(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func map<NewValue: Sendable>(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor @Sendable (Value) -> NewValue
  ) -> Guarantee<NewValue> {
    map(on: executor.executor, file: fileID, line: line) { value in
      MainActor.assumeIsolated { transform(value) }
    }
  }

  /// The same as ``Guarantee/then(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func then<NewValue: Sendable>(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ next: @escaping @MainActor @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    then(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try next(value) }
    }
  }

  /// The same as ``Guarantee/done(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func done(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) -> Void
  ) -> Guarantee<Void> {
    done(on: executor.executor, file: fileID, line: line) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }

  /// The same as ``Guarantee/get(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func get(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) -> Void
  ) -> Guarantee<Value> {
    get(on: executor.executor, file: fileID, line: line) { value in
      MainActor.assumeIsolated { body(value) }
    }
  }
}

extension Guarantee where Value == Void {
  /// The same as ``Guarantee/finally(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func finally(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable () -> Void
  ) -> Guarantee<Void> {
    finally(on: executor.executor, file: fileID, line: line) {
      MainActor.assumeIsolated { body() }
    }
  }
}
