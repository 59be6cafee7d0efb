import Synchronization

/// The storage of a promise without its value: the state machine behind a lock, and the effects of its
/// actions, which all happen after unlocking.
@usableFromInline
class PromiseCore: @unchecked Sendable {
  // @unchecked because `failure` (and the subclass's `value`) is written once, under the lock of
  // `machine`, before the phase says that it is settled, and read only after the phase said so; and
  // because a class with subclasses cannot be checked.
  final let machine: Mutex<PromiseStateMachine>
  /// The same as the machine's, for a look without the lock.
  final let hasSettled = Atomic(false)
  /// Whether something held the promise, for a look without the lock.
  final let wasHeld = Atomic(false)
  /// How the promise ended, if it has no value. Only settling writes it.
  final var failure: Failure?
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
  final var isOpen: Bool { !isSettled && machine.withLock { !$0.isSettled && !$0.isLocked } }

  /// The fate of a promise known to be settled.
  final var settledFate: Fate { failure.map { .failed($0) } ?? .fulfilled }

  /// How the promise ended, or `nil` if it is pending or has a value.
  final var failureIfSettled: Failure? { isSettled ? failure : nil }

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
    quietly: Bool = false,
    in context: DrainContext? = nil,
    _ body: consuming @escaping Observer.Body
  ) {
    let triggers = quietly ? triggers.union(.quiet) : triggers
    var observer: Observer? = Observer(on: executor?.target, triggers: triggers, body)
    switch machine.withLock({ $0.observe(&observer, quietly: quietly) }) {
    case .wait:
      break
    case .start(let starter):
      start(starter)
    case .tell(let watchers):
      for watcher in watchers { watcher() }
    case .deliver:
      if let observer = observer.take() {
        handOverOnly(Job(consume observer, fate: settledFate), in: context)
      }
    }
  }

  final func startIfLazy() {
    if let starter = machine.withLock({ $0.start() }) { start(starter) }
  }

  /// Runs `starter` on the executor, unless the promise is cancelled before.
  final func start(_ starter: @escaping PromiseStateMachine.Starter) {
    let observer = Observer { [self] fate, context in
      guard !fate.isAbandoned else { return abandon(in: context) }
      // Cancelled before its turn came, so the body has nothing to do.
      if !isSettled { starter(self) }
    }
    executor.target.enqueue(Job(observer, fate: .fulfilled), from: nil)
  }
}
