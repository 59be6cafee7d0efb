import Synchronization

/// Cancels everything that was bound to it, at once.
///
/// ```swift
/// let page = CancellationToken()
/// load(image).cancelled(by: page).done(on: .main) { show($0) }
/// page.cancel("the page was closed")
/// ```
/// A promise that is bound after ``cancel(_:)`` is cancelled at once. A promise that settles lets go of its
/// token, so a token may live as long as the app.
public final class CancellationToken: Sendable {
  private struct State {
    var reason: CancellationReason?
    var nextID: UInt64 = 0
    var handlers: [UInt64: @Sendable (CancellationReason) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Makes a token that is not cancelled.
  public init() {}

  /// Whether ``cancel(_:)`` was called.
  public var isCancelled: Bool { reason != nil }

  /// Why the token was cancelled, or `nil`.
  public var reason: CancellationReason? { state.withLock { $0.reason } }

  /// How many promises and handlers are bound to the token now.
  public var count: Int { state.withLock { $0.handlers.count } }

  /// Cancels the promises and handlers that are bound, in the order in which they were; returns whether this
  /// call was the first.
  ///
  /// - Complexity: O(n log n) in the number of promises and handlers.
  @discardableResult
  public func cancel(_ reason: CancellationReason = .unspecified) -> Bool {
    let handlers = state.withLock { state -> [UInt64: @Sendable (CancellationReason) -> Void]? in
      guard state.reason == nil else { return nil }
      state.reason = reason
      let handlers = state.handlers
      state.handlers = [:]
      return handlers
    }
    guard let handlers else { return false }
    for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler(reason) }
    return true
  }

  /// Calls `handler` when the token is cancelled, at once if it is already. It runs on the thread that
  /// cancels, with no lock held.
  ///
  /// - Returns: a closure that takes the handler back.
  @discardableResult
  public func onCancel(
    _ handler: @escaping @Sendable (CancellationReason) -> Void
  ) -> @Sendable () -> Void {
    let (id, reason) = state.withLock { state -> (UInt64, CancellationReason?) in
      if let reason = state.reason { return (0, reason) }
      state.nextID += 1
      state.handlers[state.nextID] = handler
      return (state.nextID, nil)
    }
    if let reason {
      handler(reason)
      return {}
    }
    return { [weak self] in
      let released = self?.state.withLock { $0.handlers.removeValue(forKey: id) }
      _ = released
    }
  }
}

extension Promise {
  /// Cancels this promise when the token is cancelled; returns this same promise.
  ///
  /// ```swift
  /// let work = load(url).cancelled(by: token)
  /// work.done(on: .main) { show($0) }
  /// ```
  /// Bind the promise that does the work, so that the cancellation reaches it and goes down every chain
  /// behind it. Bound to the end of a chain, a token keeps the last closure from running, and the work goes
  /// on.
  @discardableResult
  public func cancelled(by token: CancellationToken) -> Promise<Value> {
    guard isPending else { return self }
    let binding = Binding(token.onCancel { [weak storage] reason in storage?.cancel(reason) })
    storage.observe(triggers: [], quietly: true) { _, _ in binding.end() }
    return self
  }
}

/// Ends the binding of a promise to a token when the promise settles, or is released without that.
private final class Binding: Sendable {
  private let release: @Sendable () -> Void

  init(_ release: @escaping @Sendable () -> Void) {
    self.release = release
  }

  deinit {
    release()
  }

  func end() { release() }
}
