/// The states of a promise as pure transitions: each changes the state and returns what is to be done
/// after the lock is released. Nothing here runs or releases code of the user.
///
/// ```
/// lazy --start--> pending --settle--> delivering --finishDelivery--> settled
///    \_________________________settle________________________________/
/// ```
/// *Delivering* keeps the order of callbacks: while one thread hands the observers to their executors,
/// others append to the list instead of overtaking, and the delivering thread takes those too.
struct PromiseStateMachine {
  enum Phase: Sendable {
    /// The body has not run.
    case lazy
    case pending
    /// The outcome is known, and one thread is handing over the observers.
    case delivering
    case settled
  }

  /// What to call on a cancellation.
  struct CancelHandler: Sendable {
    /// Only if somebody asked for the cancellation, not if it came from what the promise waited for.
    let onlyIfRequested: Bool
    let body: @Sendable (CancellationReason) -> Void
  }

  typealias Starter = @Sendable (PromiseCore) -> Void

  private(set) var phase: Phase
  private(set) var kind = OutcomeKind.fulfilled
  /// Resolved with another promise: the resolver has no say any more.
  private(set) var isLocked = false
  /// Somebody looks after a rejection.
  private(set) var isHandled = false
  private var detachedCount: Int32 = 0
  private var observers = ObserverList.none
  private var starter: Starter?
  private var cancelHandlers: [CancelHandler] = []
  private(set) var upstream: PromiseCore?

  init() {
    self.phase = .pending
  }

  init(lazily starter: @escaping Starter) {
    self.phase = .lazy
    self.starter = starter
  }

  var isSettled: Bool { phase == .delivering || phase == .settled }

  // MARK: - Observing

  enum ObserveAction {
    case wait
    case start(Starter)
    case deliver(Observer, OutcomeKind)
  }

  /// - Parameter quietly: neither starts a lazy promise nor looks after its rejection.
  mutating func observe(_ observer: Observer, quietly: Bool) -> ObserveAction {
    if !quietly { isHandled = true }
    switch phase {
    case .lazy where quietly:
      observers.append(observer)
      return .wait
    case .lazy:
      phase = .pending
      observers.append(observer)
      return starter.take().map { .start($0) } ?? .wait
    case .pending:
      observers.append(observer)
      return .wait
    case .delivering:
      // What passes through has no order to keep, and a wait must not wait for another's callback.
      guard observer.triggers.contains(kind) else { return .deliver(observer, kind) }
      observers.append(observer)
      return .wait
    case .settled:
      return .deliver(observer, kind)
    }
  }

  mutating func markHandled() {
    isHandled = true
  }

  /// Counts an observer that lost interest; sweeps once they are half of the list, so that removing is
  /// constant on average. Returns what is to be released.
  mutating func observerDidDetach() -> [Observer] {
    guard phase == .pending else { return [] }
    detachedCount += 1
    guard Int(detachedCount) * 2 >= observers.count else { return [] }
    detachedCount = 0
    return observers.sweep()
  }

  // MARK: - Settling

  /// What settling leaves to do, and what it leaves to release.
  struct SettleAction {
    var didSettle: Bool
    /// Refused because the promise had been cancelled before.
    var wasCancelled = false
    var mustFinish = false
    var observers = ObserverList.none
    var cancelHandlers: [CancelHandler] = []
    var upstream: PromiseCore?
    var starter: Starter?
  }

  enum Settler {
    /// The resolver, which has no say once it resolved with another promise.
    case resolver
    /// The promise that this one follows, an operator, or a cancellation.
    case library
  }

  mutating func settle(
    _ kind: OutcomeKind,
    by settler: Settler,
    in context: DrainContext?
  ) -> SettleAction {
    guard !isSettled, settler == .library || !isLocked else {
      return SettleAction(didSettle: false, wasCancelled: isSettled && self.kind == .cancelled)
    }
    self.kind = kind
    var action = SettleAction(didSettle: true)
    if observers.isLocal(to: context, for: kind) {
      phase = .settled
    } else {
      phase = .delivering
      action.mustFinish = true
    }
    action.observers = observers.take()
    if !cancelHandlers.isEmpty { swap(&action.cancelHandlers, &cancelHandlers) }
    if upstream != nil { swap(&action.upstream, &upstream) }
    if starter != nil { swap(&action.starter, &starter) }
    return action
  }

  /// The observers that came while others were handed over, or none: then the delivery is over.
  mutating func finishDelivery() -> ObserverList {
    if observers.isEmpty { phase = .settled }
    return observers.take()
  }

  // MARK: - Resolving with another promise

  enum FollowAction {
    case follow
    case refused(wasCancelled: Bool)
  }

  /// Gives the fate of this promise to another one.
  mutating func follow(_ other: PromiseCore, by settler: Settler) -> FollowAction {
    guard !isSettled, settler == .library || !isLocked else {
      return .refused(wasCancelled: isSettled && kind == .cancelled)
    }
    isLocked = true
    upstream = other
    return .follow
  }

  /// Follows the one that `followed` follows instead, unless that changed; returns what is released.
  ///
  /// Whoever cancels this promise then cancels the far end, which settles everything in between.
  mutating func shorten(_ followed: PromiseCore, to far: PromiseCore) -> PromiseCore? {
    guard upstream === followed else { return nil }
    upstream = far
    return followed
  }

  // MARK: - Cancelling

  enum CancelHandlerAction {
    case keep
    case call
    case drop
  }

  mutating func addCancelHandler(_ handler: CancelHandler) -> CancelHandlerAction {
    guard isSettled else {
      cancelHandlers.append(handler)
      return .keep
    }
    return kind == .cancelled ? .call : .drop
  }
}

extension Optional {
  /// Takes the value out.
  mutating func take() -> Wrapped? {
    let taken = self
    self = nil
    return taken
  }
}
