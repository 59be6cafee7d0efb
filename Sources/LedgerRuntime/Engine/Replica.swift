package import LedgerPromises
import Synchronization

/// This process's copy of the ledger's state, with the tasks that wait for changes.
///
/// It holds durable events only. It is filled from the log, or from a commit that succeeded.
package final class Replica: Sendable {
  private struct Contents {
    var state: LedgerState
    /// The commit that wrote the newest event of the state; `nil` if that event was not read.
    var commit: CommitID?
    var waiters = WaiterTable()
    /// The error that ends all waits; set when the session ends.
    var closingError: LedgerError?
    /// The place of the state when every awaited promise was last looked up.
    var lookedAt: Place?
    /// Sessions whose openings were read since this list was last taken.
    var openedSessions: [SessionID] = []
    /// Whether sessions may have opened whose events were not read.
    var missesSessions = true
    /// The promises that changed since a runner last asked, if there is a runner.
    var news: PromiseNews?

    var place: Place { Place(position: state.position, base: state.base) }

    mutating func apply(_ frame: FrameView) throws(LedgerError) {
      defer {
        // A faster thread may have applied later events.
        let header = frame.header
        if header.firstPosition <= state.position, state.position <= header.lastPosition {
          commit = header.commit
        }
      }
      try frame.forEachEvent(after: state.position) { (event) throws(LedgerError) in
        try state.apply(event)
        waiters.touch(PromiseID(entityID: event.subject))
        if event.kind.subject == .promise { news?.note(PromiseID(entityID: event.subject)) }
        if event.kind == .sessionOpened {
          openedSessions.append(SessionID(entityID: event.subject))
        }
      }
    }
  }

  /// Two states of one process at the same place are the same.
  private struct Place: Equatable {
    let position: Position
    let base: Position
  }

  private let contents: Mutex<Contents>

  package init(_ state: LedgerState = LedgerState()) {
    contents = Mutex(Contents(state: state))
  }

  package var position: Position { contents.withLock { $0.state.position } }

  /// The newest event of the state, and the commit that wrote it, if the event was read.
  var end: (position: Position, commit: CommitID?) {
    contents.withLock { ($0.state.position, $0.commit) }
  }

  /// Runs `body` on the state. Keep it short: all other users of the state wait meanwhile.
  package func withState<R, Failure: Error>(
    _ body: (inout LedgerState) throws(Failure) -> sending R
  ) throws(Failure) -> sending R {
    try contents.withLock { (contents) throws(Failure) in try body(&contents.state) }
  }

  // MARK: Looking

  /// Runs `body` on the state. Keep it short: all other users of the state wait meanwhile.
  ///
  /// Missing parts of the snapshot are read without the lock, and then `body` runs again, on the state at
  /// that time; its earlier result or error is discarded.
  ///
  /// - Parameter needs: The entities that `body` is known to look up.
  package func look<R: Sendable>(
    with store: any EventStore, needs: SnapshotNeeds = SnapshotNeeds(),
    _ body: (inout LedgerState) throws -> R
  ) throws -> R {
    try lookAtContents(with: store, needs: needs) { contents in try body(&contents.state) }
  }

  /// The maximum number of attempts: the snapshot may move between two reads, but not forever.
  private static let maximumAttempts = 10_000

  private func lookAtContents<R: Sendable>(
    with store: any EventStore, needs: SnapshotNeeds = SnapshotNeeds(),
    _ body: (inout Contents) throws -> R
  ) throws -> R {
    var needs = needs
    var excerpt: SnapshotExcerpt?
    var attempts = 0
    while true {
      let notes = LackNotes()
      var (result, lacking) = contents.withLock { contents in
        contents.state.know(excerpt, notes: notes)
        defer { contents.state.forgetExcerpt() }
        let lacking = contents.state.lacks(needs)
        return (Result { try body(&contents) }, lacking)
      }
      lacking.formUnion(notes.needs)
      if lacking.isEmpty { return try result.get() }
      needs.formUnion(notes.needs)
      attempts += 1
      guard attempts < Self.maximumAttempts else { throw LedgerError.lacking }
      excerpt = try view(of: store, needs: lacking).excerpt.following(excerpt)
    }
  }

  /// Runs `body` on a copy of the state, without the lock and without the store.
  ///
  /// Missing parts of the snapshot are read, all at once, and then `body` runs again, as with
  /// ``look(with:needs:_:)``.
  func decide<R>(
    with store: any EventStore, needs: SnapshotNeeds,
    _ body: (consuming LedgerState) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    var needs = needs
    while true {
      let notes = LackNotes()
      // A variable, because each closure would copy the state if it returned it.
      var copy: LedgerState?
      try LedgerError.mapping {
        try look(with: store, needs: needs) { state in
          // Drops deadlines that have passed, so that deciding examines only a few.
          _ = try? state.nextDeadline()
          copy = state.noting(notes)
        }
      }
      guard let base = copy.take() else { throw .lacking }
      let outcome = Result { () throws(LedgerError) in try body(base) }
      if notes.needs.isEmpty { return try outcome.get() }
      guard needs.formUnion(notes.needs) else { throw .lacking }
    }
  }

  /// A copy of the state, which reads missing parts of the snapshot from the store.
  package func copy(readingFrom store: any EventStore) -> LedgerState {
    var state = withState { $0 }
    state.snapshot = state.snapshot.reading(from: store)
    return state
  }

  /// Runs `body` on a copy of the state, so that no other read waits for it. Missing parts are read
  /// meanwhile. It starts over if the snapshot moved.
  func lookAtCopy<R>(
    with store: any EventStore, _ body: (LedgerState) throws -> R
  ) throws -> R {
    while true {
      do {
        return try body(copy(readingFrom: store))
      } catch let error as LedgerError where error.lookAgain == .snapshotMoved {
        try rebase(from: store)
      }
    }
  }

  /// Takes a view of the store, and rebuilds the state on the snapshot in that view.
  ///
  /// It verifies that the log is the one that was read before: the newest applied event must exist and belong
  /// to the same commit. If that event was deleted, the snapshot holds it, and only the digests of the
  /// snapshots can be compared, if they are for the same position.
  ///
  /// - Parameter goesOn: Whether to read the frames after the newest applied event.
  /// - Throws: `historyChanged` if the log has other events than those that were read; `corrupt` if the
  ///   snapshot is at an earlier position than before.
  private func view(
    of store: any EventStore, goesOn: Bool = false,
    limit: Int = EventSlice.eventCount, needs: SnapshotNeeds = SnapshotNeeds()
  ) throws(LedgerError) -> StoreView {
    let (known, position, commit) = contents.withLock {
      ($0.state.snapshot, $0.state.position, $0.commit)
    }
    var request = ViewRequest(eventsAfter: goesOn ? position : nil)
    request.eventLimit = limit
    request.needs = needs
    request.countedLists = known.countedLists
    let view = try store.view(request)
    let summary = view.excerpt.summary
    if let commit, let stored = view.commit, stored != commit {
      throw .historyChanged(at: position)
    }
    if !goesOn, commit != nil, summary.position != known.position {
      // Before the state is replaced, the newest applied event is looked for in the log.
      return try self.view(of: store, goesOn: true, limit: 1, needs: needs)
    }
    guard summary.position >= known.position else {
      throw .wentBack(from: known.position, to: summary.position)
    }
    guard summary.isOfSameLog(as: known.summary) else {
      throw .historyChanged(at: known.position)
    }
    try contents.withLock { (contents) throws(LedgerError) in
      // A faster thread may have brought a newer snapshot.
      guard summary.position > contents.state.base else { return }
      // Entities that the snapshot now holds are dropped from memory later, by
      // ``dropFolded(placeLimit:begins:)``.
      if try contents.state.rebase(onto: SnapshotReader(view.excerpt.outline), drops: false) {
        // All awaited promises are checked again, because the events that settled them may never be read.
        contents.waiters.touchAll()
        contents.news?.noteMissed()
        (contents.openedSessions, contents.missesSessions) = ([], true)
        contents.commit = nil
      }
    }
    if goesOn {
      contents.withLock { contents in
        guard contents.commit == nil, contents.state.position == view.start else { return }
        contents.commit = view.startCommit
      }
    }
    return view
  }

  // MARK: The snapshot

  /// Rebuilds the state on the current snapshot.
  package func rebase(from store: any EventStore) throws(LedgerError) {
    _ = try view(of: store)
  }

  /// Applies all events of a store, in slices.
  ///
  /// - Returns: Whether there were events.
  package func catchUp(
    from store: any EventStore, sliceEventCount: Int = SnapshotReader.sliceCount
  ) throws(LedgerError) -> Bool {
    var hasNews = false
    while true {
      dropFolded(placeLimit: contents.withLock { $0.state.takeDropBudget() })
      if !hasNews, try isUnchanged(store) { return false }
      let view = try view(of: store, goesOn: true, limit: sliceEventCount)
      try apply(view, from: store)
      // There may also be further events after the slice.
      hasNews = hasNews || !view.frames.isEmpty
      guard view.frames.eventCount >= sliceEventCount else { return hasNews }
    }
  }

  /// Whether the store is known to contain what this replica has applied and no more.
  private func isUnchanged(_ store: any EventStore) throws(LedgerError) -> Bool {
    let (position, commit, base) = contents.withLock {
      ($0.state.position, $0.commit, $0.state.base)
    }
    guard let commit else { return false }
    return try store.isUnchanged(since: position, commit, snapshot: base)
  }

  /// Applies the events of a view that are not applied yet.
  ///
  /// - Throws: The reason why later events cannot be read.
  private func apply(_ view: StoreView, from store: any EventStore) throws(LedgerError) {
    if !view.frames.isEmpty {
      let (position, hasSnapshot) = withState { ($0.position, $0.base > .start) }
      let needs = SnapshotNeeds(
        ids: hasSnapshot ? try view.frames.subjects(after: position) : [])
      try LedgerError.mapping {
        try lookAtContents(with: store, needs: needs) { contents in
          try view.frames.forEachFrame { (frame) throws(LedgerError) in try contents.apply(frame) }
        }
      }
    }
    if let problem = view.problem { throw problem }
  }

  /// Drops from the overlay the entities that the snapshot holds, in short steps between which others can
  /// read.
  ///
  /// - Parameters:
  ///   - placeLimit: The number of places in the overlay after which it ends.
  ///   - begins: Whether to begin a walk even if it drops little.
  package func dropFolded(placeLimit: Int = .max, begins: Bool = false) {
    var placeCount = 0
    if begins { contents.withLock { $0.state.beginDrop() } }
    while placeCount < placeLimit, contents.withLock({ $0.state.dropStep() }) {
      placeCount += OverlayDrop.stepPlaceCount
    }
  }

  // MARK: Filling

  /// Applies the events of a frame that are not applied yet.
  package func apply(_ frame: FrameView) throws(LedgerError) {
    try contents.withLock { (contents) throws(LedgerError) in try contents.apply(frame) }
  }

  /// Applies a commit that succeeded, unless a reader already applied it from the log.
  package func merge(_ layer: StagedLayer, of commit: CommitID? = nil) {
    contents.withLock { contents in
      guard contents.state.position == layer.basePosition else { return }
      contents.state.merge(layer)
      if layer.position > layer.basePosition { contents.commit = commit }
      for id in layer.promises.ids {
        contents.waiters.touch(id)
        contents.news?.note(id)
      }
    }
  }

  // MARK: Sessions

  /// Returns the sessions that opened since the last call.
  ///
  /// - Returns: `missesOthers` if sessions of the snapshot may have opened without their events having been
  ///   read.
  func takeOpenedSessions() -> (opened: [SessionID], missesOthers: Bool) {
    contents.withLock { contents -> (opened: [SessionID], missesOthers: Bool) in
      defer { (contents.openedSessions, contents.missesSessions) = ([], false) }
      return (contents.openedSessions, contents.missesSessions)
    }
  }

  // MARK: News

  /// Begins to note the promises that change, until ``endNews()``.
  ///
  /// - Parameter ring: Called when there is something to take, once until it is taken.
  /// - Returns: Whether no other runner takes the news.
  func beginNews(_ ring: @escaping @Sendable () -> Void) -> Bool {
    contents.withLock { contents in
      guard contents.news == nil else { return false }
      contents.news = PromiseNews(ring: ring)
      return true
    }
  }

  func endNews() { contents.withLock { $0.news = nil } }

  /// Returns the promises that changed since the last call.
  ///
  /// - Returns: `isComplete` if no others changed.
  func takeNews() -> (ids: Set<PromiseID>, isComplete: Bool) {
    contents.withLock { $0.news?.take() ?? ([], false) }
  }

  // MARK: Waiting

  /// A promise of the durable promise's settled state, which is already fulfilled if that is settled.
  ///
  /// Checking and registering is one step, so no settlement is missed in between. Call it between
  /// ``beginUse(of:)`` and ``endUse(of:)``.
  ///
  /// - Throws: The error that ended all waits; `notFound`; the reason why the promise is blocked.
  package func settlement(
    of id: PromiseID, with store: any EventStore
  ) throws -> Promise<PromiseEntity> {
    try lookAtContents(with: store) { contents in
      if let error = contents.closingError { throw error }
      guard let entity = try contents.state.promise(id) else {
        throw try contents.state.refusal(ofMissing: id)
      }
      guard entity.status == .pending else { return .value(entity) }
      return contents.waiters.settlement(of: id, isJoint: entity.isJoint)
    }
  }

  /// The awaited joints that are pending although their inputs decide them.
  func decidedAwaitedJoints(with store: any EventStore) throws -> [PromiseID] {
    guard contents.withLock({ $0.waiters.awaitsJoints }) else { return [] }
    return try lookAtContents(with: store) { contents in
      try contents.waiters.joints.filter { id in
        guard let entity = try contents.state.promise(id), entity.status == .pending,
          let joint = entity.joint
        else { return false }
        return try contents.state.verdict(on: joint) != .undecided
      }
    }
  }

  /// A promise that is fulfilled once the state is past `position`, or already if it is.
  ///
  /// - Throws: The error that ended all waits.
  package func advance(past position: Position) throws(LedgerError) -> Promise<Void> {
    try contents.withLock { (contents) throws(LedgerError) in
      if let error = contents.closingError { throw error }
      let isPast = contents.state.position > position
      return isPast ? .value(()) : contents.waiters.advance(past: position)
    }
  }

  /// A promise that is fulfilled once the state is past `position`, or once one more promise is no longer in
  /// use. It may be fulfilled sooner if another task waits for an earlier position.
  ///
  /// - Parameters:
  ///   - position: The position.
  ///   - count: The earlier value of ``endedUseCount``.
  /// - Throws: The error that ended all waits.
  package func advance(
    past position: Position, orUseEndedAfter count: Int
  ) throws(LedgerError) -> Promise<Void> {
    try contents.withLock { (contents) throws(LedgerError) in
      if let error = contents.closingError { throw error }
      let isPast = contents.state.position > position || contents.waiters.endedUseCount > count
      return isPast ? .value(()) : contents.waiters.endOfUse(orAdvancePast: position)
    }
  }

  /// The number of times that a promise ceased to be in use.
  package var endedUseCount: Int { contents.withLock { $0.waiters.endedUseCount } }

  /// Whether this process waits for the promise, or is consuming it.
  package func isAwaited(_ id: PromiseID) -> Bool {
    contents.withLock { $0.waiters.isInUse(id) }
  }

  /// Notes that this process waits for the promise or consumes it, until ``endUse(of:)``.
  package func beginUse(of id: PromiseID) {
    contents.withLock { $0.waiters.beginUse(of: id) }
  }

  package func endUse(of id: PromiseID) {
    contents.withLock { $0.waiters.endUse(of: id) }?()
  }

  /// Wakes the tasks whose conditions are met.
  ///
  /// - Parameters:
  ///   - store: The store in which awaited promises are looked up that are not in memory. If they cannot be
  ///     read, the next call looks them up.
  ///   - looksAtAll: Whether to look up every awaited promise, not only those that changed. This has no
  ///     effect if nothing has changed since the last such look-up.
  package func deliver(from store: any EventStore, looksAtAll: Bool = false) {
    var due: [WaiterTable.Due] = []
    let (near, far) = contents.withLock { contents in
      if looksAtAll, contents.lookedAt != contents.place {
        contents.lookedAt = contents.place
        contents.waiters.touchAll()
      }
      due = contents.waiters.takeAdvances(contents.state.position)
      return contents.waiters.changed(in: contents.state)
    }
    due += settlements(among: near[...], store)
    for slice in far.slices(of: SnapshotReader.sliceCount) {
      due += settlements(among: slice, store)
    }
    for settled in due.sorted(by: { $0.position < $1.position }) { settled.wake() }
    contents.withLock { $0.news?.takeRing() }?()
  }

  /// Removes and returns the waiters for promises that are settled, or never will be.
  private func settlements(
    among ids: ArraySlice<PromiseID>, _ store: any EventStore
  ) -> [WaiterTable.Due] {
    guard !ids.isEmpty else { return [] }
    let needs = SnapshotNeeds(ids: Set(ids.map(\.entityID)))
    // If the ledger is frozen or cannot be read, they are checked again later.
    let due = try? lookAtContents(with: store, needs: needs) { contents -> [WaiterTable.Due] in
      // Waiters that are taken would be missing when this closure runs again.
      guard contents.state.lacks(needs).isEmpty else { return [] }
      return contents.waiters.takeSettled(among: ids, contents.state)
    }
    return due ?? []
  }

  /// Fails all current and future waits.
  package func failAll(_ error: LedgerError) {
    let all = contents.withLock { contents in
      contents.closingError = error
      contents.news?.noteMissed()
      let ring = contents.news?.takeRing()
      return contents.waiters.takeAll(failingWith: error) + [ring].compactMap(\.self)
    }
    for wake in all { wake() }
  }
}
