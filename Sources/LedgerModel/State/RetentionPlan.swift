/// Which records of closed entities are removed, and which of them stay because something needs them.
///
/// Pure: equal states and times make equal plans.
package struct RetentionPlan: Sendable, Hashable {
  /// The most records that one event removes, so that folding it keeps no writer waiting for long.
  package static let maximumRemovedCount = 1_000

  /// After so many bytes of values that stand beside events, an event removes no more records.
  private static let maximumAttachmentByteCount = 4 << 20

  /// The events to be written, in order.
  package private(set) var events: [RetentionApplied] = []
  /// The events that are enough for one plan.
  private let eventLimit: Int
  /// How many records leave.
  package private(set) var removedCount = 0
  /// How many records would leave, but something that is open refers to them.
  package private(set) var neededCount = 0
  /// The position of the state that the plan was made of.
  package let position: Position

  private var after = Position.start
  private var horizon = Position.start
  private var time = Timestamp(nanosecondsSinceEpoch: .min)
  private var count = 0
  private var attachmentByteCount = 0
  private var kept: [EntityID] = []
  /// The end that proved ends with times still to come, which stand before it, to be old enough.
  private var proofPosition = Position.start
  private var proofTime = Timestamp(nanosecondsSinceEpoch: .min)

  /// Plans the removal of every record in the snapshot whose entity ended long enough ago; of none
  /// if there is no limit, or if the snapshot has records of a later version.
  ///
  /// - Parameters:
  ///   - age: How old the ends are of what leaves.
  ///   - eventLimit: After so many events, the other records are left to another plan.
  ///   - tick: Called now and then.
  /// - Throws: `snapshotMoved`; `corrupt`.
  /// - Complexity: O(records that leave or are needed), and if there are any, O(open entities).
  package init(
    _ state: LedgerState, endedBy age: AgeLimit?, eventLimit: Int = .max,
    _ tick: () -> Void = {}
  ) throws(LedgerError) {
    position = state.position
    self.eventLimit = eventLimit
    // What a record of a later version needs is not known.
    guard let age, !state.snapshot.summary.counts.hasOpaque else { return }
    // What is needed takes a walk, so it is left for when something would leave.
    var needed: Set<EntityID>?
    var pulse = Pulse()
    try state.snapshot.forEachEntry(of: .closed) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      guard events.count < eventLimit, let time = try agedTime(of: entry, age, state, tick)
      else { return false }
      guard !state.removals.hides(entry.id, closedAt: entry.position) else { return true }
      if needed == nil { needed = try state.neededIDs(tick) }
      take(entry, at: time, isNeeded: needed?.contains(entry.id) ?? true)
      return true
    }
    if events.count < eventLimit { endRange() }
  }

  /// The time by which an entity ended, if that is long enough ago.
  ///
  /// A time that is still to come says nothing; then the entries that follow are looked at, once.
  private mutating func agedTime(
    of entry: OpenEntry, _ age: AgeLimit, _ state: LedgerState, _ tick: () -> Void
  ) throws(LedgerError) -> Timestamp? {
    switch age.verdict(on: entry.time) {
    case .old:
      return entry.time
    case .young, .unknown:
      if entry.position <= proofPosition { return proofTime }
    }
    guard age.verdict(on: entry.time) == .unknown else { return nil }
    var pulse = Pulse()
    var found: OpenEntry?
    // Mostly one of the next entries is old enough.
    try state.snapshot.forEachEntry(of: .closed, after: entry.position, firstSliceCount: 4) {
      (later) throws(LedgerError) in
      pulse.beat(tick)
      let verdict = age.verdict(on: later.time)
      if verdict == .old { found = later }
      return verdict == .unknown
    }
    guard let found else { return nil }
    (proofPosition, proofTime) = (found.position, found.time)
    return found.time
  }

  private mutating func take(_ entry: OpenEntry, at time: Timestamp, isNeeded: Bool) {
    // Also before one that stays: it stands after the horizon, where only the next event can keep it.
    if count == Self.maximumRemovedCount || attachmentByteCount >= Self.maximumAttachmentByteCount {
      endRange()
    }
    if isNeeded {
      neededCount += 1
      if count == 0 {
        // Nothing before it leaves, so the range may as well begin after it.
        after = entry.position
        return
      }
      if kept.count == RetentionApplied.maximumKeptCount {
        endRange()
        after = entry.position
        return
      }
      kept.append(entry.id)
      return
    }
    count += 1
    attachmentByteCount += entry.attachmentByteCount
    horizon = entry.position
    self.time = max(self.time, time)
  }

  /// Makes an event of what was gathered.
  private mutating func endRange() {
    guard count > 0 else { return }
    events.append(
      RetentionApplied(
        after: after, horizon: horizon, time: time, removedCount: UInt32(clamping: count),
        kept: kept.sorted()))
    removedCount += count
    after = horizon
    (count, attachmentByteCount) = (0, 0)
    kept = []
  }
}

extension LedgerState {
  /// Everything that something open refers to, and the sessions that created open promises.
  func neededIDs(_ tick: () -> Void = {}) throws(LedgerError) -> Set<EntityID> {
    var ids: Set<EntityID> = []
    var pulse = Pulse()
    for handler in try openHandlers() {
      handler.insertReferences(into: &ids)
      ids.insert(handler.created.session.entityID)
    }
    promises.visitAll { if $0.isOpen { ids.insert($0.created.session.entityID) } }
    try snapshot.forEachEntry(of: .promises) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      if let creator = entry.creator, !isOverlaid(entry.id) { ids.insert(creator.entityID) }
      return true
    }
    return ids
  }
}

extension HandlerEntity {
  /// The promises and handlers in everything that is bound, or that a call was made with.
  package func insertReferences(into ids: inout Set<EntityID>) {
    var all = [bound.references]
    for call in openCalls.values { all += [call.references, call.bound.references] }
    for references in all {
      ids.formUnion(references.promises.map(\.entityID))
      ids.formUnion(references.handlers.map(\.entityID))
    }
  }
}
