extension Promise {
  /// Makes and awaits promises, at most `limit` at a time, and collects their values in order.
  ///
  /// Factories are pulled from the sequence only when there is room, on `executor`, so the sequence may
  /// be lazy, endless in practice, or readable once only. After a failure or a cancellation nothing
  /// more is pulled; cancelling the result cancels the promises that are running.
  ///
  /// A `limit` below one rejects with ``PromiseError/Code/invalidInput``, and nothing is pulled.
  ///
  /// - Complexity: O(n) in time; memory for `limit` promises and all values.
  public static func all<Factories: Sequence, Element: Sendable>(
    limit: Int,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    factories: sending Factories
  ) -> Promise<[Element]>
  where Factories.Element == @Sendable () throws -> Promise<Element>, Value == [Element] {
    let site = SourceSite(file, line)
    let target = PromiseStorage<[Element]>(executor: executor, site: site)
    guard limit >= 1 else {
      let message = "The limit is \(limit), but at least one promise must be allowed to run."
      target.settle(Failure.rejected(PromiseError.invalidInput(message, site: site)), in: nil)
      return Promise<[Element]>(target)
    }
    LimitedRun(FactorySource(factories), limit: limit, into: target).start()
    return Promise<[Element]>(target)
  }

  /// Makes one promise after the other, each when the one before is fulfilled, and collects the values.
  ///
  /// It stops at the first failure.
  @_disfavoredOverload
  public static func mapInSeries<Inputs: Sequence, Element: Sendable>(
    _ inputs: sending Inputs,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (Inputs.Element) throws -> Promise<Element>
  ) -> Promise<[Element]> where Inputs.Element: Sendable, Value == [Element] {
    mapInParallel(
      inputs, limit: 1, on: executor, file: file, line: line, transform)
  }

  /// Makes promises side by side, at most `limit` at a time, and collects the values in input order.
  ///
  /// It pulls, stops, cancels and refuses like ``all(limit:on:file:line:factories:)``.
  @_disfavoredOverload
  public static func mapInParallel<Inputs: Sequence, Element: Sendable>(
    _ inputs: sending Inputs,
    limit: Int = .max,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (Inputs.Element) throws -> Promise<Element>
  ) -> Promise<[Element]> where Inputs.Element: Sendable, Value == [Element] {
    let factories = inputs.lazy.map { input in
      { @Sendable () throws -> Promise<Element> in try transform(input) }
    }
    return all(limit: limit, on: executor, file: file, line: line, factories: factories)
  }

  /// Folds a sequence into one value, each step when the one before is fulfilled.
  ///
  /// No inputs give `initial`. It stops at the first failure. Cancelling the result cancels the promise of
  /// the current step, and no other step begins.
  ///
  /// - Complexity: O(n); one pending promise for each input.
  @_disfavoredOverload
  public static func reduce<Inputs: Sequence>(
    _ inputs: Inputs,
    _ initial: Value,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ combine: @escaping @Sendable (Value, Inputs.Element) throws -> Promise<Value>
  ) -> Promise<Value> where Inputs.Element: Sendable {
    inputs.reduce(.value(initial, on: executor, file: file, line: line)) { accumulated, input in
      let next = accumulated.then(file: file, line: line) { try combine($0, input) }
      next.storage.sendCancellations(to: accumulated.storage)
      return next
    }
  }
}
