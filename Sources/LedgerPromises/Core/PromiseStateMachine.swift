/// The states of a promise as pure transitions: each changes the state and returns what is to be done
/// after the lock is released. Nothing here runs or releases code of the user.
///
/// ```
/// lazy --start--> pending --settle--> delivering --finishDelivery--> settled
///    \_________________________settle________________________________/
/// ```
/// *Delivering* keeps the order of callbacks: while one thread hands the observers to their executors,
/// others append to the list instead of overtaking, and the delivering thread takes those too.
///
/// Most promises have one observer and nothing else, so that has a place here; everything else is in
/// ``Extras``. Nothing that is handed over can be copied, so that it costs no reference counting.
struct PromiseStateMachine: ~Copyable {
  enum Phase: UInt8, Sendable {
    /// The body has not run.
    case lazy
    case pending
    /// The outcome is known, and one thread is handing over the observers.
    case delivering
    case settled
  }

  /// A closure to call on a cancellation.
  struct CancelHandler: Sendable {
    /// Only if the cancellation was asked for, not if it came from a promise that this one waited for.
    let onlyIfRequested: Bool
    let body: @Sendable (CancellationReason) -> Void
  }

  typealias Starter = @Sendable (PromiseCore) -> Void

  /// Told of what may change who takes an outcome.
  typealias Watcher = @Sendable () -> Void

  /// The parts that few promises have.
  final class Extras: @unchecked Sendable {
    // @unchecked because only the state machine that made it uses it, under its lock, until it hands
    // it over to the one thread that settles.

    /// The observers behind the first one.
    var others: [Observer] = []
    /// How many of the observers lost interest since such ones were swept out.
    var detachedCount = 0
    var starter: Starter?
    var cancelHandlers: [CancelHandler] = []
    var upstream: PromiseCore?
    /// Keeps the promise from being settled from outside until a clean-up is over.
    var cleanUp: PromiseHold?
    /// The outcomes that are on their way to the promise, or through it, which keep it from that too.
    var claims: [ClaimPlace] = []
    /// Whether something outside waits for the end of the claims to settle the promise.
    var isContested = false
    /// Told of the next observer, of the end of the claims, and of the outcome; by what watches.
    var watchers: [ObjectIdentifier: Watcher] = [:]
    /// Counts what was taken out of the list of observers, so that places in it can be told from others.
    var removalCount = 0

    init(starter: Starter? = nil) {
      self.starter = starter
    }

    deinit {
      // A body that never ran may keep another lazy promise, and that one the next.
      if starter != nil { InlineTrampoline.release(starter.take()) }
    }

    func takeWatchers() -> [Watcher] {
      let taken = watchers
      watchers = [:]
      return Array(taken.values)
    }
  }

  private var first: Observer?
  private(set) var phase: Phase
  private(set) var kind = OutcomeKind.fulfilled
  /// Resolved with another promise: the resolver has no say any more.
  private(set) var isLocked = false
  /// Something looks after a rejection.
  private(set) var isHandled = false
  /// Cancelled because that was asked for, not because a promise that this one waited for was cancelled.
  private(set) var wasRequested = false
  private var extras: Extras?

  init() {
    self.phase = .pending
  }

  init(lazily starter: @escaping Starter) {
    self.phase = .lazy
    self.extras = Extras(starter: starter)
  }

  // Inlined, as a call would copy the whole state.
  @inline(__always)
  var isSettled: Bool { phase == .delivering || phase == .settled }

  var upstream: PromiseCore? { extras?.upstream }

  private mutating func makeExtras() -> Extras {
    if let extras { return extras }
    let made = Extras()
    extras = made
    return made
  }

  // MARK: - Observing

  enum ObserveAction {
    case wait
    case start(Starter)
    /// The observer was taken, and there are some to be told.
    case tell([Watcher])
    /// The observer was not taken.
    case deliver
  }

  /// Takes the observer, unless it is to be called now.
  ///
  /// - Parameter quietly: neither starts a lazy promise nor looks after its rejection.
  mutating func observe(
    _ observer: inout Observer?, quietly: Bool
  ) -> ObserveAction {
    if !quietly { isHandled = true }
    switch phase {
    case .lazy where !quietly:
      append(&observer)
      return start().map { .start($0) } ?? .wait
    case .lazy, .pending:
      append(&observer)
      if !quietly, let extras, !extras.watchers.isEmpty { return .tell(extras.takeWatchers()) }
      return .wait
    case .delivering where observer?.triggers.contains(kind) == true:
      append(&observer)
      return .wait
    case .delivering, .settled:
      // An outcome that passes through has no order to keep, and a wait must not wait for another's callback.
      return .deliver
    }
  }

  /// Makes a lazy promise a pending one; returns what is to run then.
  mutating func start() -> Starter? {
    guard phase == .lazy else { return nil }
    phase = .pending
    return extras?.starter.take()
  }

  private mutating func append(_ observer: inout Observer?) {
    if first == nil, extras?.others.isEmpty ?? true {
      first = observer.take()
    } else if let observer = observer.take() {
      makeExtras().others.append(observer)
    }
  }

  mutating func markHandled() {
    isHandled = true
  }

  /// Counts an observer that lost interest. Returns whether they are half of all, and are to be swept out:
  /// so removing one is constant on average.
  mutating func observerDidDetach() -> Bool {
    guard !isSettled else { return false }
    let extras = makeExtras()
    extras.detachedCount += 1
    let count = extras.others.count + (first == nil ? 0 : 1)
    guard extras.detachedCount * 2 >= count else { return false }
    extras.detachedCount = 0
    return true
  }

  // MARK: - Settling

  /// Observers to be handed over, in order.
  struct Observers: ~Copyable {
    var first: Observer?
    var others: [Observer] = []

    var isEmpty: Bool { first == nil && others.isEmpty }
  }

  /// The work that settling leaves to do, and the objects that it leaves to release.
  struct SettleAction: ~Copyable {
    var didSettle: Bool
    /// Refused because the promise had been cancelled before.
    var wasCancelled = false
    /// Refused because the promise is held.
    var isHeld = false
    var mustFinish = false
    var first: Observer?
    var extras: Extras?
  }

  enum Settler {
    /// The resolver, which has no say once it resolved with another promise.
    case resolver
    /// The source that the promise waits for, in the name of the library.
    case library
    /// Something that the promise does not wait for: a timer, the loser of a race. It has to wait while the
    /// promise is held.
    case outsider
    /// A request to cancel the promise, which has to wait as well.
    case request
  }

  /// - Parameters:
  ///   - isLocal: Whether the promise's executor, for observers that name none, runs on this thread.
  ///   - context: What the settling thread is running.
  mutating func settle(
    _ kind: OutcomeKind,
    by settler: Settler,
    isLocal: Bool,
    in context: DrainContext?
  ) -> SettleAction {
    guard !isSettled, settler != .resolver || !isLocked else {
      return SettleAction(didSettle: false, wasCancelled: isSettled && self.kind == .cancelled)
    }
    if settler == .outsider || settler == .request, hold != nil {
      extras?.isContested = true
      return SettleAction(didSettle: false, isHeld: true)
    }
    self.kind = kind
    wasRequested = settler == .request
    let areLocal = areObserversLocal(to: context, for: kind, orElse: isLocal)
    phase = areLocal ? .settled : .delivering
    return SettleAction(
      didSettle: true, mustFinish: !areLocal, first: first.take(), extras: extras.take())
  }

  /// Whether the thread that settles may hand over every observer without leaving its own queues.
  @inline(__always)
  private borrowing func areObserversLocal(
    to context: DrainContext?, for kind: OutcomeKind, orElse isLocal: Bool
  ) -> Bool {
    // Field by field: a copy of the observer would be reference counting.
    if first?.triggers.contains(kind) == true,
      !(first?.executor?.isLocal(to: context) ?? isLocal)
    {
      return false
    }
    guard let extras else { return true }
    return extras.others.allSatisfy { observer in
      !observer.triggers.contains(kind)
        || observer.executor?.isLocal(to: context) ?? isLocal
    }
  }

  /// The observers that came while others were handed over, or none: then the delivery is over.
  mutating func finishDelivery() -> Observers {
    let observers = Observers(first: first.take(), others: extras.take()?.others ?? [])
    if observers.isEmpty { phase = .settled }
    return observers
  }

  // MARK: - Resolving with another promise

  enum FollowAction {
    case follow
    case refused(wasCancelled: Bool)
  }

  /// Gives the fate of this promise to another one.
  mutating func follow(_ other: PromiseCore, by settler: Settler) -> FollowAction {
    guard !isSettled, settler != .resolver || !isLocked else {
      return .refused(wasCancelled: isSettled && kind == .cancelled)
    }
    isLocked = true
    makeExtras().upstream = other
    return .follow
  }

  /// Follows the one that `followed` follows instead, unless that changed; returns what is released.
  ///
  /// Cancelling this promise then cancels the far end, which settles everything in between.
  mutating func shorten(_ followed: PromiseCore, to far: PromiseCore) -> PromiseCore? {
    guard let extras, extras.upstream === followed else { return nil }
    extras.upstream = far
    return followed
  }

  // MARK: - Holding

  var hold: PromiseHold? { extras?.claims.last?.claim ?? extras?.cleanUp }

  var cleanUp: PromiseHold? { extras?.cleanUp }

  var claims: [ClaimPlace] { extras?.claims ?? [] }

  /// Keeps the promise from being settled from outside until a clean-up is over.
  mutating func place(_ cleanUp: PromiseHold) {
    makeExtras().cleanUp = cleanUp
  }

  enum PlaceAction {
    case placed
    /// The promise waits for a clean-up, which lets outcomes pass.
    case passed
    /// The promise is settled, or will be by something else.
    case refused
  }

  /// Keeps the promise from being settled from outside while an outcome is on its way.
  mutating func place(_ place: ClaimPlace) -> PlaceAction {
    if let cleanUp, !isSettled { return cleanUp.admitsOutcomes ? .passed : .refused }
    guard admitsClaim(from: place.source, as: place.edge) else { return .refused }
    makeExtras().claims.append(place)
    return .placed
  }

  /// Whether an outcome may come this way beside those that are on their way already: by way of the same
  /// promise, or as another one of several that this one collects.
  ///
  /// Not once something outside wants to settle the promise: it could be too late for ever.
  func admitsClaim(from source: PromiseCore?, as edge: Demand.Edge) -> Bool {
    guard !isSettled else { return false }
    guard let extras, let other = extras.claims.first else { return true }
    return !extras.isContested && (edge == .collecting || other.source === source)
  }

  /// Ends a claim; returns what is to be told of the end of the last one.
  mutating func end(_ claim: DeliveryClaim) -> [Watcher] {
    guard let extras, let place = extras.claims.firstIndex(where: { $0.claim === claim }) else {
      return []
    }
    extras.claims.remove(at: place)
    return extras.claims.isEmpty ? extras.takeWatchers() : []
  }

  // MARK: - Demand

  /// The observers in order, and the count of removals, by which the order is known again.
  func listObservers() -> (observers: [Observer], removalCount: Int) {
    guard !isSettled else { return ([], 0) }
    let others = extras?.others ?? []
    let all = first.map { [$0] + others } ?? others
    return (all, extras?.removalCount ?? 0)
  }

  /// Has the watcher told once of the next observer, of the end of the claims or of the outcome; `false` if
  /// the promise is settled.
  mutating func watch(for promise: PromiseCore, _ watcher: @escaping Watcher) -> Bool {
    guard !isSettled else { return false }
    makeExtras().watchers[ObjectIdentifier(promise)] = watcher
    return true
  }

  /// Takes out the observers at some places of the list that ``listObservers()`` gave, if these are
  /// still theirs; returns what is to be released.
  mutating func removeObservers(at places: Set<Int>, ifRemovalsAre count: Int) -> [Observer] {
    guard !isSettled, !places.isEmpty, count == self.extras?.removalCount ?? 0 else { return [] }
    let (all, _) = listObservers()
    let extras = makeExtras()
    extras.removalCount += 1
    extras.detachedCount = 0
    first = nil
    extras.others = all.indices.filter { !places.contains($0) }.map { all[$0] }
    return places.map { all[$0] }
  }

  /// Becomes lazy again, also with observers; returns what is to be released.
  ///
  /// The handlers for a cancellation of the run that is over are forgotten.
  mutating func rest(_ starter: @escaping Starter) -> [CancelHandler] {
    guard phase == .pending else { return [] }
    let extras = makeExtras()
    phase = .lazy
    extras.starter = starter
    let released = extras.cancelHandlers
    extras.cancelHandlers = released.filter(\.onlyIfRequested)
    return released
  }

  // MARK: - Cancelling

  enum CancelHandlerAction {
    case keep
    case call
    case drop
  }

  mutating func addCancelHandler(_ handler: CancelHandler) -> CancelHandlerAction {
    guard isSettled else {
      makeExtras().cancelHandlers.append(handler)
      return .keep
    }
    guard kind == .cancelled else { return .drop }
    return wasRequested || !handler.onlyIfRequested ? .call : .drop
  }
}

extension Optional {
  /// Takes the value out.
  mutating func take() -> Wrapped? {
    let taken = consume self
    self = nil
    return taken
  }
}
