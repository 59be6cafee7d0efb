/// A plan of the records of closed entities to remove, and of those to keep because another entity needs
/// them.
///
/// Pure: equal states and times produce equal plans.
package struct RetentionPlan: Sendable, Hashable {
  /// The maximum number of records that one event removes, so that folding it does not keep a writer waiting
  /// for long.
  package static let maximumRemovedCount = 1_000

  /// The size of the values beside events, in bytes, at which an event removes no more records.
  private static let maximumAttachmentByteCount = 4 << 20

  /// The events to write, in order.
  package private(set) var events: [RetentionApplied] = []
  /// The maximum number of events in the plan.
  private let eventLimit: Int
  /// The number of records to remove.
  package private(set) var removedCount = 0
  /// The number of records that are old enough but kept because an open entity refers to them.
  package private(set) var neededCount = 0
  /// The position of the state on which the plan was made.
  package let position: Position

  private var after = Position.start
  private var horizon = Position.start
  private var time = Timestamp(nanosecondsSinceEpoch: .min)
  private var count = 0
  private var attachmentByteCount = 0
  private var kept: [EntityID] = []
  /// The position of an end that is old enough, which proves that earlier ends with times in the future are
  /// old enough, too.
  private var proofPosition = Position.start
  private var proofTime = Timestamp(nanosecondsSinceEpoch: .min)

  /// Plans the removal of every record in the snapshot whose entity ended long enough ago. The plan is empty
  /// if there is no limit, or if the snapshot has records of a later version.
  ///
  /// - Parameters:
  ///   - age: The minimum age of the ends of removed entities.
  ///   - eventLimit: The maximum number of events; the remaining records are left to another plan.
  ///   - tick: Called now and then.
  /// - Throws: `snapshotMoved`; `corrupt`.
  /// - Complexity: As that of ``init(_:endedBy:eventLimit:sharing:_:)``.
  package init(
    _ state: LedgerState, endedBy age: AgeLimit?, eventLimit: Int = .max, _ tick: () -> Void = {}
  ) throws(LedgerError) {
    var children = EndedChildren()
    try self.init(state, endedBy: age, eventLimit: eventLimit, sharing: &children, tick)
  }

  /// Plans the next removal of a compaction.
  ///
  /// - Parameter children: What the earlier plans of the compaction found, on earlier states.
  /// - Throws: `snapshotMoved`; `corrupt`.
  /// - Complexity: O(records that are removed or needed), plus O(open entities) if there are any, plus O(entities that
  ///   ended after the creation of the oldest pending work, and since the earlier plan) if there is work.
  package init(
    _ state: LedgerState, endedBy age: AgeLimit?, eventLimit: Int,
    sharing children: inout EndedChildren, _ tick: () -> Void
  ) throws(LedgerError) {
    position = state.position
    self.eventLimit = eventLimit
    // The references in a record of a later version are unknown.
    guard let age, !state.snapshot.summary.counts.hasOpaque else { return }
    // Finding the needed entities takes a walk, so it is postponed until there is a record to remove.
    var needed: Set<EntityID>?
    var pulse = Pulse()
    try state.snapshot.forEachEntry(of: .closed) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      guard events.count < eventLimit, let time = try agedTime(of: entry, age, state, tick)
      else { return false }
      guard !state.removals.hides(entry.id, closedAt: entry.position) else { return true }
      if needed == nil { needed = try state.neededIDs(sharing: &children, tick) }
      let isOfPendingWork = entry.parent.map { needed?.contains($0.entityID) ?? true } ?? false
      take(
        entry, at: time, isNeeded: isOfPendingWork || needed?.contains(entry.id) ?? true)
      return true
    }
    if events.count < eventLimit { endRange() }
  }

  /// The time by which an entity ended, if that is long enough ago.
  ///
  /// A time in the future says nothing about age; in that case, the following entries are examined, once.
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
    // Usually, one of the next entries is old enough.
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
    // This applies even before a kept entry: it lies after the horizon, where only the next event can keep
    // it.
    if count == Self.maximumRemovedCount || attachmentByteCount >= Self.maximumAttachmentByteCount {
      endRange()
    }
    if isNeeded {
      neededCount += 1
      if count == 0 {
        // Nothing before this entry is removed, so the range may begin after it.
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

  /// Creates an event from the collected records.
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
  /// All entities to which an open entity refers, and the sessions that created open promises.
  func neededIDs() throws(LedgerError) -> Set<EntityID> {
    var children = EndedChildren()
    return try neededIDs(sharing: &children) {}
  }

  fileprivate func neededIDs(
    sharing children: inout EndedChildren, _ tick: () -> Void
  ) throws(LedgerError) -> Set<EntityID> {
    var ids: Set<EntityID> = []
    var pulse = Pulse()
    for handler in try openHandlers() {
      handler.insertReferences(into: &ids)
      ids.insert(handler.created.session.entityID)
    }
    var hasExtended = snapshot.summary.counts.extendedPromises > 0
    promises.visitAll {
      hasExtended = hasExtended || $0.isExtended
      if $0.isOpen { ids.insert($0.created.session.entityID) }
    }
    var pending = EndedChildren.Parents()
    // Not all at once: there may be much open work.
    for promise in promises.open where promise.isComputed {
      pending.note(promise)
      try promise.insertNeeds(into: &ids)
    }
    try forEachPromiseBelow(.work) { (promise) throws(LedgerError) in
      pulse.beat(tick)
      pending.note(promise)
      try promise.insertNeeds(into: &ids)
    }
    try snapshot.forEachEntry(of: .promises) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      if let creator = entry.creator, !isOverlaid(entry.id) { ids.insert(creator.entityID) }
      return true
    }
    if hasExtended {
      let ended = try endedChildren(of: pending, sharing: &children, tick)
      try insertInputs(ofJointsAmong: &ids, and: ended, tick)
    }
    return ids
  }

  /// The children that have ended, of work that has not.
  private func endedChildren(
    of pending: EndedChildren.Parents, sharing children: inout EndedChildren, _ tick: () -> Void
  ) throws(LedgerError) -> Set<EntityID> {
    guard !pending.ids.isEmpty else { return [] }
    try children.look(in: snapshot, of: pending, tick)
    var ids = children.ids(of: pending)
    promises.visitAll { promise in
      guard !promise.isOpen, let parent = promise.parent?.entityID, pending.ids.contains(parent)
      else { return }
      ids.insert(promise.id.entityID)
    }
    return ids
  }

  /// Inserts the inputs of needed joints, which have their values, and in turn those of joints among the inputs.
  ///
  /// - Parameter others: Entities that are kept for another reason.
  func insertInputs(
    ofJointsAmong ids: inout Set<EntityID>, and others: Set<EntityID> = [], _ tick: () -> Void = {}
  ) throws(LedgerError) {
    var pulse = Pulse()
    var new = ids.union(others)
    while !new.isEmpty {
      var next: Set<EntityID> = []
      for slice in new.sorted().slices(of: SnapshotReader.sliceCount) {
        var state = self
        try state.require(Set(slice))
        for id in slice {
          pulse.beat(tick)
          guard let inputs = try state.readablePromise(PromiseID(entityID: id))?.joint?.inputs
          else {
            continue
          }
          for input in inputs where ids.insert(input.entityID).inserted {
            next.insert(input.entityID)
          }
        }
      }
      new = next
    }
  }
}

extension HandlerEntity {
  /// Inserts the promises and handlers in all bound arguments and in the arguments of all calls.
  package func insertReferences(into ids: inout Set<EntityID>) {
    var all = [bound.references]
    for call in openCalls.values { all += [call.references, call.bound.references] }
    for references in all { references.insert(into: &ids) }
  }
}

extension HandlerReferences {
  package func insert(into ids: inout Set<EntityID>) {
    ids.formUnion(promises.map(\.entityID))
    ids.formUnion(handlers.map(\.entityID))
  }
}

extension PromiseEntity {
  /// The promises and handlers in the arguments of pending work.
  package var argumentReferences: HandlerReferences {
    guard isWork, status == .pending else { return .none }
    return progress?.arguments?.references ?? (try? creation())?.work?.references ?? .none
  }

  /// Inserts what ``insertReferences(into:)`` inserts, and the session that created the promise.
  fileprivate func insertNeeds(into ids: inout Set<EntityID>) throws(LedgerError) {
    try insertReferences(into: &ids)
    ids.insert(created.session.entityID)
  }

  /// Inserts pending work itself, because later attempts look for its children, and the promises and handlers
  /// that it needs: those in its arguments, the promises that it awaits or that its code awaited, and its parent. Of a
  /// joint, inserts the inputs, even if it is settled.
  func insertReferences(into ids: inout Set<EntityID>) throws(LedgerError) {
    let creation = try creation()
    if let joint = creation.joint { ids.formUnion(joint.inputs.map(\.entityID)) }
    guard status == .pending, let work = creation.work else { return }
    ids.insert(id.entityID)
    argumentReferences.insert(into: &ids)
    // The operator's trigger counts again once code knows of a request to cancel it.
    for trigger in [work.trigger, progress?.trigger, progress?.nextTrigger].compactMap(\.self) {
      ids.formUnion(trigger.awaited.map(\.entityID))
    }
    ids.formUnion(progress?.awaited.map(\.entityID) ?? [])
    if let parent = creation.parent { ids.insert(parent.entityID) }
  }
}
