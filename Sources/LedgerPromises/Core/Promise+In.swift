/// Promises whose body runs on an executor.
extension Promise {
  /// Runs `body` on an executor, soon, with a resolver for the new promise.
  ///
  /// ```swift
  /// let thumbnail = Promise<Image>(in: .background) { resolver in
  ///   resolver.fulfill(try render(page))
  /// }
  /// ```
  /// Nothing has to observe the promise for `body` to run; ``lazy(on:file:line:_:)`` waits for an observer.
  /// Cancelling the promise before its turn means that `body` never runs. A throw in `body` rejects.
  ///
  /// - Parameters:
  ///   - executor: Where `body` runs, and callbacks that name no executor.
  ///   - file: Where the promise was made, for diagnostics.
  ///   - line: Where the promise was made, for diagnostics.
  ///   - body: Settles the promise, now or later.
  @_disfavoredOverload
  public init(
    in executor: PromiseExecutor,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Resolver<Value>) throws -> Void
  ) {
    let storage = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    self.init(storage)
    storage.start(Resolver<Value>.starter(body))
  }

  /// Runs `body` on an executor, soon, and fulfils with the value that it returns.
  ///
  /// ```swift
  /// let digest = Promise(in: .background) { try hash(of: file) }
  /// ```
  /// A throw in `body` rejects. Cancelling the promise before its turn means that `body` never runs.
  ///
  /// - Parameters:
  ///   - executor: Where `body` runs, and callbacks that name no executor.
  ///   - file: Where the promise was made, for diagnostics.
  ///   - line: Where the promise was made, for diagnostics.
  ///   - body: Makes the value.
  @_disfavoredOverload
  public init(
    in executor: PromiseExecutor,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () throws -> Value
  ) {
    self.init(in: executor, file: file, line: line) { (resolver: Resolver<Value>) in
      resolver.fulfill(try body())
    }
  }
}
