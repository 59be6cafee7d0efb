extension Promise {
  /// Wraps a call that takes a completion handler with a value or an error.
  ///
  /// ```swift
  /// let file = Promise.wrap { completion in download(url, completion: completion) }
  /// ```
  /// An error rejects, also next to a value. A call with neither rejects with
  /// ``PromiseError/Code/noResult``, and a handler that is released without having been called rejects with
  /// ``PromiseError/Code/abandoned``, so the promise never hangs.
  public static func wrap(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ call: (_ completion: @escaping @Sendable (Value?, (any Error)?) -> Void) throws -> Void
  ) -> Promise<Value> {
    Promise(on: executor, file: file, line: line) { resolver in
      try call { resolver($0, $1) }
    }
  }

  /// Wraps a call that takes a completion handler with a `Result`.
  public static func wrapResult<Failure: Error>(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ call: (_ completion: @escaping @Sendable (Result<Value, Failure>) -> Void) throws -> Void
  ) -> Promise<Value> {
    Promise(on: executor, file: file, line: line) { resolver in
      try call { resolver.resolve(with: $0) }
    }
  }

  /// Wraps a call that takes a completion handler with a value only.
  public static func wrapValue(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ call: (_ completion: @escaping @Sendable (Value) -> Void) throws -> Void
  ) -> Promise<Value> {
    Promise(on: executor, file: file, line: line) { resolver in
      try call { resolver.fulfill($0) }
    }
  }
}

extension Promise where Value == Void {
  /// Wraps a call that takes a completion handler with an error only, where none means success.
  public static func wrapError(
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ call: (_ completion: @escaping @Sendable ((any Error)?) -> Void) throws -> Void
  ) -> Promise<Void> {
    Promise(on: executor, file: file, line: line) { resolver in
      try call { resolver($0) }
    }
  }
}
