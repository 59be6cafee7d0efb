/// Callbacks on the main actor that get the value.
extension Promise {
  /// The same as ``Promise/map(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func map<NewValue: Sendable>(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    map(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }

  /// The same as ``Promise/then(on:file:line:_:)``, on the main actor.
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

  /// The same as ``Promise/done(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func done(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) throws -> Void
  ) -> Promise<Void> {
    done(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }

  /// The same as ``Promise/get(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func get(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    get(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }

  /// The same as ``Promise/compactMap(on:file:line:_:)``, on the main actor.
  public func compactMap<NewValue: Sendable>(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    compactMap(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try transform(value) }
    }
  }

  /// The same as ``Promise/validate(on:file:line:_:)``, on the main actor.
  @discardableResult
  public func validate(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ predicate: @escaping @MainActor @Sendable (Value) throws -> Bool
  ) -> Promise<Value> {
    validate(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try predicate(value) }
    }
  }

  /// The same as ``Promise/pass(on:file:line:_:)``, on the main actor.
  public func pass<Ignored: Sendable>(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Value) throws -> Promise<Ignored>
  ) -> Promise<Value> {
    pass(on: executor.executor, file: fileID, line: line) { value in
      try MainActor.assumeIsolated { try body(value) }
    }
  }
}
