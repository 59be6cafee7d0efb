/// Promises that are made on the main actor.
extension Promise {
  /// Runs `body` on the main actor, soon, with a resolver for the new promise.
  public init(
    in executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Resolver<Value>) throws -> Void
  ) {
    self.init(in: executor.executor, file: fileID, line: line) { (resolver: Resolver<Value>) in
      try MainActor.assumeIsolated { try body(resolver) }
    }
  }

  /// Runs `body` on the main actor, soon, and fulfils with the value that it returns.
  public init(
    in executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable () throws -> Value
  ) {
    self.init(in: executor.executor, file: fileID, line: line) { () throws -> Value in
      try MainActor.assumeIsolated { try body() }
    }
  }

  /// The same as ``Promise/lazy(on:file:line:_:)``, on the main actor.
  public static func lazy(
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @MainActor @Sendable (Resolver<Value>) throws -> Void
  ) -> Promise<Value> {
    lazy(on: executor.executor, file: fileID, line: line) { resolver in
      try MainActor.assumeIsolated { try body(resolver) }
    }
  }

  /// The same as ``Promise/retry(attempts:delay:on:clock:file:line:when:_:)``, with attempts made on the main
  /// actor.
  public static func retry(
    attempts: Int,
    delay: RetryDelay = .none,
    on executor: MainActorExecutor,
    clock: any Clock<Duration> = ContinuousClock(),
    fileID: StaticString = #fileID,
    line: UInt = #line,
    when shouldRetry:
      @escaping @Sendable (_ error: any Error, _ attempt: Int) async throws -> Bool = { _, _ in
        true
      },
    _ factory: @escaping @MainActor @Sendable (_ attempt: Int) throws -> Promise<Value>
  ) -> Promise<Value> {
    retry(
      attempts: attempts, delay: delay, on: executor.executor, clock: clock, file: fileID,
      line: line,
      when: shouldRetry
    ) { attempt in
      try MainActor.assumeIsolated { try factory(attempt) }
    }
  }

  /// The same as ``Promise/mapInSeries(_:on:file:line:_:)``, on the main actor.
  public static func mapInSeries<Inputs: Sequence, Element: Sendable>(
    _ inputs: sending Inputs,
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor @Sendable (Inputs.Element) throws -> Promise<Element>
  ) -> Promise<[Element]> where Inputs.Element: Sendable, Value == [Element] {
    mapInSeries(inputs, on: executor.executor, file: fileID, line: line) { input in
      try MainActor.assumeIsolated { try transform(input) }
    }
  }

  /// The same as ``Promise/mapInParallel(_:limit:on:file:line:_:)``, on the main actor.
  public static func mapInParallel<Inputs: Sequence, Element: Sendable>(
    _ inputs: sending Inputs,
    limit: Int = .max,
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @MainActor @Sendable (Inputs.Element) throws -> Promise<Element>
  ) -> Promise<[Element]> where Inputs.Element: Sendable, Value == [Element] {
    mapInParallel(inputs, limit: limit, on: executor.executor, file: fileID, line: line) { input in
      try MainActor.assumeIsolated { try transform(input) }
    }
  }

  /// The same as ``Promise/reduce(_:_:on:file:line:_:)``, on the main actor.
  public static func reduce<Inputs: Sequence>(
    _ inputs: Inputs,
    _ initial: Value,
    on executor: MainActorExecutor,
    fileID: StaticString = #fileID,
    line: UInt = #line,
    _ combine: @escaping @MainActor @Sendable (Value, Inputs.Element) throws -> Promise<Value>
  ) -> Promise<Value> where Inputs.Element: Sendable {
    reduce(inputs, initial, on: executor.executor, file: fileID, line: line) { accumulated, input in
      try MainActor.assumeIsolated { try combine(accumulated, input) }
    }
  }
}
