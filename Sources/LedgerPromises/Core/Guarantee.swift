/// A promise that cannot fail: it always gets a value.
///
/// It is made by operators that take care of every failure, such as
/// ``Promise/recoverAlways(on:file:line:_:)``, or with a value to fall back on. It cannot be cancelled;
/// ``asPromise(file:line:)`` can.
public struct Guarantee<Value: Sendable>: Sendable {
  /// Never cancelled or rejected, because it is handed out nowhere, only links to it are.
  let base: Promise<Value>

  /// The promise must be fulfilled in every case, also when its executor is gone.
  init(unfailing base: Promise<Value>) {
    self.base = base
  }

  /// A guarantee that has its value already.
  public static func value(_ value: Value, on executor: PromiseExecutor = .default) -> Guarantee {
    Guarantee(unfailing: .value(value, on: executor))
  }

  /// Runs `body` at once, with a closure that delivers the value; the first call counts.
  ///
  /// If the closure is released without having been called, the value is `fallback`, so that no
  /// observer waits for ever.
  public init(
    ifDropped fallback: Value,
    on executor: PromiseExecutor = .default,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: (_ deliver: @escaping @Sendable (Value) -> Void) -> Void
  ) {
    let storage = PromiseStorage<Value>(executor: executor, site: SourceSite(file, line))
    self.base = Promise(storage)
    let delivery = Delivery(storage: storage, fallback: fallback)
    body { delivery.deliver($0) }
  }

  /// Whether there is no value yet.
  public var isPending: Bool { base.isPending }

  /// The value, or `nil` while the guarantee is pending.
  public var currentValue: Value? {
    base.storage.isSettled ? base.storage.value : nil
  }

  /// The same as a promise of its own, which may be cancelled without disturbing the guarantee.
  public func asPromise(file: StaticString = #fileID, line: UInt = #line) -> Promise<Value> {
    base.link(on: nil, SourceSite(file, line), triggers: []) { source, target, fate, context in
      target.settle(like: source, fate: fate, in: context)
    }
  }

  /// Waits for the value.
  ///
  /// Cancelling the task does not end the wait, because there is nothing else to return. Use
  /// `asPromise().value` where it has to.
  public var value: Value {
    get async {
      let storage = base.storage
      return await withCheckedContinuation { continuation in
        storage.observe(triggers: []) { fate, _ in
          if fate.answer(.anything) { return }
          guard let value = storage.value else {
            preconditionFailure("a guarantee failed, which its initializers rule out")
          }
          continuation.resume(returning: value)
        }
      }
    }
  }
}

extension Guarantee {
  /// Turns the value into another one.
  ///
  /// If the executor is gone, `transform` runs on the thread that finds out.
  @discardableResult
  @_disfavoredOverload
  public func map<NewValue: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ transform: @escaping @Sendable (Value) -> NewValue
  ) -> Guarantee<NewValue> {
    let mapped = base.link(
      to: NewValue.self, on: executor, SourceSite(file, line),
      triggers: [.fulfilled, .withoutExecutor]
    ) { source, target, _, context in
      guard let value = source.value else { return }
      target.fulfill(transform(value), in: context)
    }
    return Guarantee<NewValue>(unfailing: mapped)
  }

  /// Goes on with a promise, made from the value.
  ///
  /// The result may fail, if only because `next` may return that very promise.
  @discardableResult
  @_disfavoredOverload
  public func then<NewValue: Sendable>(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ next: @escaping @Sendable (Value) throws -> Promise<NewValue>
  ) -> Promise<NewValue> {
    base.then(on: executor, file: file, line: line, next)
  }

  /// Uses the value.
  @discardableResult
  @_disfavoredOverload
  public func done(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> Guarantee<Void> {
    map(on: executor, file: file, line: line, body)
  }

  /// Looks at the value and passes it on.
  @discardableResult
  @_disfavoredOverload
  public func get(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable (Value) -> Void
  ) -> Guarantee<Value> {
    map(on: executor, file: file, line: line) { value in
      body(value)
      return value
    }
  }

  /// Forgets the value.
  public func asVoid(file: StaticString = #fileID, line: UInt = #line) -> Guarantee<Void> {
    let void = base.link(to: Void.self, on: nil, SourceSite(file, line), triggers: []) {
      source, target, fate, context in
      target.settle(withValueOf: source, fate: fate, in: context) { _ in
        target.fulfill((), in: context)
      }
    }
    return Guarantee<Void>(unfailing: void)
  }
}

extension Guarantee where Value == Void {
  /// Runs `body` at the very end of a chain, behind ``Promise/catch(on:includingCancellation:file:line:_:)``.
  @discardableResult
  @_disfavoredOverload
  public func finally(
    on executor: PromiseExecutor? = nil,
    file: StaticString = #fileID,
    line: UInt = #line,
    _ body: @escaping @Sendable () -> Void
  ) -> Guarantee<Void> {
    map(on: executor, file: file, line: line, body)
  }
}

/// Delivers the value of a guarantee, at the latest when it is released.
private final class Delivery<Value: Sendable>: Sendable {
  private let storage: PromiseStorage<Value>
  private let fallback: Value

  init(storage: PromiseStorage<Value>, fallback: Value) {
    self.storage = storage
    self.fallback = fallback
  }

  deinit {
    guard !storage.isSettled else { return }
    // On the trampoline, because what observes the value may keep the delivery of the next guarantee.
    let deliver: Observer.Body = { [storage, fallback] _, _ in
      if storage.fulfill(fallback, in: nil).didSettle {
        PromiseDiagnostics.report(.pendingPromiseDropped, at: storage.site)
      }
    }
    InlineTrampoline.run(Job(Observer(deliver), fate: .fulfilled))
  }

  func deliver(_ value: Value) {
    if !storage.fulfill(value, in: nil).didSettle {
      PromiseDiagnostics.report(.settledTwice(ignored: nil), at: storage.site)
    }
  }
}
