extension Promise {
  /// Turns the value into another one.
  ///
  /// If `transform` throws, the new promise is rejected. A rejection or cancellation of this promise
  /// passes through.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func map<NewValue: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> NewValue
  ) -> Promise<NewValue> {
    let source = storage
    let target = source.makeTarget(of: NewValue.self, on: executor, file, line)
    source.observe(on: executor, triggers: .fulfilled) { fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { value in
        target.fulfill(try transform(value), in: context)
      }
    }
    return Promise<NewValue>(target)
  }

  /// Goes on with another promise, made from the value.
  ///
  /// The new promise settles as that inner one does; cancelling it cancels the inner one. Returning the
  /// new promise itself rejects it with ``PromiseError/Code/resolvedWithItself``.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func then<NewValue: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ next: @escaping @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    let source = storage
    let target = source.makeTarget(of: NewValue.self, on: executor, file, line)
    source.observe(on: executor, triggers: .fulfilled) { fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { value in
        target.follow(try next(value).storage, in: context)
      }
    }
    return Promise<NewValue>(target)
  }

  /// Uses the value; the new promise has none.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func done(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise<Void> {
    map(on: executor, file: file, line: line, body)
  }

  /// Looks at the value and passes it on. If `body` throws, the new promise is rejected.
  ///
  /// A rejection or cancellation of this promise skips `body` and passes through.
  @inlinable
  @discardableResult
  @_disfavoredOverload
  public func get(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Void
  ) -> Promise<Value> {
    let source = storage
    let target = source.makeTarget(of: Value.self, on: executor, file, line)
    source.observe(on: executor, triggers: .fulfilled) { fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { value in
        try body(value)
        target.fulfill(value, in: context)
      }
    }
    return Promise<Value>(target)
  }

  /// Turns the value into another one; `nil` rejects with ``PromiseError/Code/noValue``.
  @_disfavoredOverload
  public func compactMap<NewValue: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (Value) throws -> NewValue?
  ) -> Promise<NewValue> {
    let site = SourceSite(file, line)
    return linkValue(on: executor, site) { value, target, context in
      guard let newValue = try transform(value) else {
        throw PromiseError(.noValue, "compactMap's closure returned nil.", site: site)
      }
      target.fulfill(newValue, in: context)
    }
  }

  /// Rejects with ``PromiseError/Code/notValid`` unless the value satisfies the predicate.
  @discardableResult
  @_disfavoredOverload
  public func validate(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ predicate: @escaping @Sendable (Value) throws -> Bool
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    return linkValue(on: executor, site) { value, target, context in
      guard try predicate(value) else {
        throw PromiseError(.notValid, "The value does not satisfy validate's closure.", site: site)
      }
      target.fulfill(value, in: context)
    }
  }

  /// Waits for another promise made from the value, then passes on this value, not the other's.
  ///
  /// If the other one fails, so does the new promise; cancelling the new promise cancels the other one.
  @_disfavoredOverload
  public func pass<Ignored: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) throws -> Promise<Ignored>
  ) -> Promise<Value> {
    let site = SourceSite(file, line)
    return linkValue(on: executor, site) { value, target, context in
      let inner = try body(value)
      let back = inner.link(to: Value.self, on: .inline, site, triggers: []) {
        source, target, fate, context in
        target.settle(withValueOf: source, fate: fate, in: context) { _ in
          target.fulfill(value, in: context)
        }
      }
      target.follow(back.storage, in: context)
      target.onCancel { inner.cancel($0) }
    }
  }

  /// Forgets the value.
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Promise<Void> {
    link(on: nil, SourceSite(file, line), triggers: []) { source, target, fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { _ in
        target.fulfill((), in: context)
      }
    }
  }
}
