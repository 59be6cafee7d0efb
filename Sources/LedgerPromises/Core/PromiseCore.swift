import Synchronization

/// The storage of a promise without its value: the state machine behind a lock, and the effects of its
/// actions, which all happen after unlocking.
@usableFromInline
class PromiseCore: @unchecked Sendable {
  // @unchecked because `failure` (and the subclass's `value`) is written once, under the lock of
  // `machine`, before the phase says that it is settled, and read only after the phase said so; and
  // because a class with subclasses cannot be checked.
  private let machine: Mutex<PromiseStateMachine>
  /// The same as the machine's, for a look without the lock.
  private let hasSettled = Atomic(false)
  private(set) final var failure: Failure?
  @usableFromInline final let executor: PromiseExecutor
  @usableFromInline final let site: SourceSite

  @usableFromInline
  init(executor: PromiseExecutor, site: SourceSite) {
    self.machine = Mutex(PromiseStateMachine())
    self.executor = executor
    self.site = site
  }

  init(executor: PromiseExecutor, site: SourceSite, starter: @escaping PromiseStateMachine.Starter)
  {
    self.machine = Mutex(PromiseStateMachine(lazily: starter))
    self.executor = executor
    self.site = site
  }

  deinit {
    guard case .rejected(let error)? = failure else { return }
    let isUnhandled = machine.withLock { $0.phase == .settled && !$0.isHandled }
    if isUnhandled { PromiseDiagnostics.report(.unhandledRejection(error), at: site) }
  }

  // MARK: - State

  @usableFromInline
  final var isSettled: Bool { hasSettled.load(ordering: .acquiring) }

  final var isLazy: Bool { machine.withLock { $0.phase == .lazy } }

  /// Whether the resolver can still decide the outcome.
  final var isOpen: Bool { machine.withLock { !$0.isSettled && !$0.isLocked } }

  final func markHandled() {
    machine.withLock { $0.markHandled() }
  }

  // MARK: - Observing

  /// Adds an observer. Its body is called exactly once: on `executor` for the outcomes in `triggers`,
  /// for the others on the thread that settles. A quiet observer neither starts a lazy promise nor
  /// counts as handling its rejection.
  @usableFromInline
  final func observe(
    on executor: PromiseExecutor? = nil,
    triggers: Triggers,
    waiter: Waiter? = nil,
    quietly: Bool = false,
    in context: DrainContext? = nil,
    _ body: @escaping Observer.Body
  ) {
    var observer: Observer? = Observer(
      executor: executor?.target, body: body, triggers: triggers)
    switch machine.withLock({ $0.observe(&observer, waiter: waiter, quietly: quietly) }) {
    case .wait:
      break
    case .start(let starter):
      start(starter)
    case .deliver(let kind):
      if let observer { handOverOnly(observer, of: kind, in: context) }
    }
  }

  private final func start(_ starter: @escaping PromiseStateMachine.Starter) {
    executor.target.enqueue(
      Job(source: self, fate: .fulfilled) { core, fate, context in
        guard fate != .abandoned else { return core.abandon(in: context) }
        // Cancelled before its turn came, so the body has nothing to do.
        if !core.isSettled { starter(core) }
      },
      from: nil)
  }

  final func detachObserver() {
    let released = machine.withLock { $0.observerDidDetach() }
    _ = released
  }

  // MARK: - Settling

  /// Settles with a value, which `store` writes.
  @usableFromInline
  @discardableResult
  final func settleFulfilled(
    byResolver: Bool = false,
    in context: DrainContext?,
    store: () -> Void
  ) -> SettleResult {
    let target = executor.target
    let action = machine.withLock { machine in
      let action = machine.settle(
        .fulfilled, by: byResolver ? .resolver : .library, on: target, in: context)
      if action.didSettle {
        store()
        hasSettled.store(true, ordering: .releasing)
      }
      return action
    }
    return finish(action, kind: .fulfilled, in: context)
  }

  /// Settles with a failure.
  @usableFromInline
  @discardableResult
  final func settle(
    _ failure: Failure,
    byResolver: Bool = false,
    isRequest: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    let kind = failure.kind
    let target = executor.target
    let action = machine.withLock { machine in
      let action = machine.settle(
        kind, by: byResolver ? .resolver : .library, on: target, in: context)
      if action.didSettle {
        self.failure = failure
        hasSettled.store(true, ordering: .releasing)
      }
      return action
    }
    return finish(action, kind: kind, isRequest: isRequest, in: context)
  }

  /// Settles as `source` failed, or as one whose executor dropped the callback.
  @usableFromInline
  final func settleFailure(of source: PromiseCore, fate: Fate, in context: DrainContext?) {
    if fate == .abandoned {
      abandon(in: context)
    } else if let failure = source.failure {
      settle(failure, in: context)
    }
  }

  /// Rejects because the executor dropped what would have settled the promise.
  final func abandon(in context: DrainContext?) {
    let error = PromiseError(
      .executorGone,
      "The executor was shut down or released before it ran the callback. Keep it for as long as "
        + "promises use it.",
      site: site)
    if settle(.rejected(error), in: context).didSettle {
      PromiseDiagnostics.report(.pendingPromiseDropped, at: site)
    }
  }

  /// Settles as an error thrown by a body or callback says.
  @usableFromInline
  final func settle(thrown error: any Error, in context: DrainContext?) {
    settle(Failure(thrown: error), in: context)
  }

  @usableFromInline
  struct SettleResult: Sendable {
    @usableFromInline var didSettle: Bool
    var wasCancelled = false
  }

  // MARK: - For the resolver

  /// Reports a resolver's call that came second; returns whether it settled the promise.
  @usableFromInline
  final func accept(_ result: SettleResult, error: (any Error)?) -> Bool {
    if !result.didSettle {
      PromiseDiagnostics.report(
        result.wasCancelled ? .settledLate : .settledTwice(ignored: error), at: site)
    }
    return result.didSettle
  }

  /// Rejects the promise if nobody can settle it any more.
  final func resolverWasReleased() {
    guard isOpen else { return }
    let error = PromiseError(
      .abandoned,
      "The resolver was released before it settled its promise. Keep it until the outcome is known.",
      site: site)
    if settle(.rejected(error), byResolver: true, in: nil).didSettle {
      PromiseDiagnostics.report(.pendingPromiseDropped, at: site)
    }
  }

  private final func finish(
    _ action: consuming PromiseStateMachine.SettleAction,
    kind: OutcomeKind,
    isRequest: Bool = false,
    in context: DrainContext?
  ) -> SettleResult {
    guard action.didSettle else {
      return SettleResult(didSettle: false, wasCancelled: action.wasCancelled)
    }
    // Released at the end, outside the lock.
    let extras = action.extras.take()
    if action.mustFinish || extras?.others.isEmpty == false {
      handOver(
        .init(first: action.first.take(), others: extras?.others ?? []), of: kind, in: context,
        isLate: !action.mustFinish)
    } else if let observer = action.first.take() {
      handOverOnly(observer, of: kind, in: context)
    }
    if kind == .cancelled, let extras, extras.upstream != nil || !extras.cancelHandlers.isEmpty {
      propagateCancellation(
        to: isRequest ? extras.upstream : nil,
        extras.cancelHandlers.filter { isRequest || !$0.onlyIfRequested })
    }
    return SettleResult(didSettle: true)
  }

  // MARK: - Handing over

  /// Hands observers to their executors, in order. Unless `isLate`, this thread is the one delivering
  /// and goes on until no observer came meanwhile.
  private final func handOver(
    _ observers: consuming PromiseStateMachine.Observers,
    of kind: OutcomeKind,
    in context: DrainContext?,
    isLate: Bool
  ) {
    var own: DrainContext?
    while true {
      if let first = observers.first.take() { handOver(first, of: kind, in: context, &own) }
      if !observers.others.isEmpty {
        for entry in observers.others { handOver(entry.observer, of: kind, in: context, &own) }
      }
      if isLate { break }
      observers = machine.withLock { $0.finishDelivery() }
      if observers.isEmpty { break }
    }
    own?.runAll()
  }

  private final func handOver(
    _ observer: Observer,
    of kind: OutcomeKind,
    in context: DrainContext?,
    _ own: inout DrainContext?
  ) {
    let job = Job(source: self, fate: Fate(kind), body: observer.body)
    guard !observer.triggers.contains(kind) else {
      return (observer.executor ?? executor.target).enqueue(job, from: context)
    }
    if let context = context ?? own {
      return context.pushDirect(job)
    }
    let context = DrainContext(queue: nil)
    context.pushDirect(job)
    own = context
  }

  /// Hands over an observer that has no others behind it.
  private final func handOverOnly(
    _ observer: Observer, of kind: OutcomeKind, in context: DrainContext?
  ) {
    if observer.triggers.contains(kind) || context != nil {
      var own: DrainContext?
      handOver(observer, of: kind, in: context, &own)
    } else {
      // Straight away, because nothing waits in a new context.
      let own = DrainContext(queue: nil)
      observer.body(self, Fate(kind), own)
      own.runAll()
    }
  }

  // MARK: - Resolving with another promise

  /// Writes down that this promise follows another.
  final func beginFollowing(_ other: PromiseCore, byResolver: Bool) -> SettleResult {
    switch machine.withLock({ $0.follow(other, by: byResolver ? .resolver : .library) }) {
    case .follow: SettleResult(didSettle: true)
    case .refused(let wasCancelled): SettleResult(didSettle: false, wasCancelled: wasCancelled)
    }
  }

  /// Whether following `other` leads back to this promise, or into a cycle that others just closed.
  ///
  /// Each promise first writes down whom it follows and looks afterwards, so of several threads that
  /// close one cycle together at least one sees it whole.
  final func leadsBack(from other: PromiseCore) -> Bool {
    var core = other
    while core !== self {
      guard let next = core.shortenedUpstream() else { return false }
      if next === core { return true }
      core = next
    }
    return true
  }

  /// Whom this promise follows. Skips one on the way, for the next reader, so that walking long lines
  /// of followers again and again does not cost their square.
  private final func shortenedUpstream() -> PromiseCore? {
    guard let next = machine.withLock({ $0.upstream }) else { return nil }
    guard let far = next.machine.withLock({ $0.upstream }) else { return next }
    let released = machine.withLock { $0.shorten(next, to: far) }
    return released == nil ? next : far
  }

  // MARK: - Cancelling

  @discardableResult
  final func cancel(_ reason: CancellationReason) -> Bool {
    settle(.cancelled(reason), isRequest: true, in: nil).didSettle
  }

  final func onCancel(
    onlyIfRequested: Bool = false,
    _ body: @escaping @Sendable (CancellationReason) -> Void
  ) {
    let handler = PromiseStateMachine.CancelHandler(onlyIfRequested: onlyIfRequested, body: body)
    switch machine.withLock({ $0.addCancelHandler(handler) }) {
    case .keep, .drop:
      break
    case .call:
      guard case .cancelled(let reason)? = failure else { return }
      body(reason)
    }
  }

  /// Calls the handlers and cancels the promise that this one follows, without recursion: a
  /// cancellation that such a handler starts in turn waits in the thread's trampoline.
  private final func propagateCancellation(
    to upstream: PromiseCore?,
    _ handlers: [PromiseStateMachine.CancelHandler]
  ) {
    guard case .cancelled(let reason)? = failure else { return }
    InlineTrampoline.run(
      Job(source: self, fate: .cancelled) { _, _, _ in
        for handler in handlers { handler.body(reason) }
        upstream?.cancel(reason)
      })
  }
}
