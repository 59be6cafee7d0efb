/// The checks on events in combination: that the lifecycle of each entity is valid, and that the snapshot
/// matches its events.
///
/// If no event was deleted, all of them are replayed. Otherwise the events before the snapshot cannot be
/// replayed: only the newest event of each entity is compared with its record, and the events after the
/// snapshot are replayed over the records.
struct ReplayChecks {
  private let snapshot: SnapshotChecks
  private var state: LedgerState
  /// Whether the events up to the snapshot are replayed from the first.
  private let isFromStart: Bool
  /// The newest event of each entity, where events cannot be replayed.
  private var newest: [EntityID: Position] = [:]
  /// The subjects of events of later versions.
  private var unsupported: Set<EntityID> = []
  /// The entities whose records were put into the state.
  private var loaded: Set<EntityID> = []
  /// The snapshot's contents for the subjects of the next frames.
  private var upcoming: [EntityID: (entity: LedgerEntity?, isTombstone: Bool)] = [:]
  private let findings: Findings
  private var pulse = Pulse()

  init(_ snapshot: SnapshotChecks, _ findings: Findings) {
    self.snapshot = snapshot
    self.findings = findings
    isFromStart = snapshot.summary.deletedThrough == .start
    state = isFromStart ? LedgerState() : LedgerState(at: snapshot.summary)
  }

  /// Whether there is a base to replay the events over.
  var canReplay: Bool { isFromStart || snapshot.isWhole }

  /// The last event that was replayed.
  var position: Position { state.position }

  /// Applies the next event.
  ///
  /// - Parameter tick: Called periodically while the state is compared with the snapshot.
  /// - Returns: The reason why it does not fit the lifecycle of its subject.
  mutating func apply(
    _ event: borrowing EventView, _ tick: () -> Void
  ) throws(LedgerError) -> String? {
    let summary = snapshot.summary
    guard isFromStart || event.position > summary.position else {
      if event.kind.hasRecord { newest[event.subject] = event.position }
      if event.kind.subject == nil { unsupported.insert(event.subject) }
      if event.position == summary.position { compareNewest(tick) }
      return nil
    }
    if !isFromStart { load(event.subject) }
    let blockedCount = state.blocked.count
    let id = PromiseID(entityID: event.subject)
    let wasRunning = state.promises.work[id]?.isRunning ?? false
    let wasPendingJoint = state.promises[id].map { $0.isJoint && $0.status == .pending } ?? false
    try state.apply(event)
    if isFromStart, event.position == summary.position { try compareRecords(tick) }
    if state.blocked.count > blockedCount,
      case .illegalTransition(let what) = state.blocked[event.subject]?.reason
    {
      return what
    }
    if wasPendingJoint, state.contradictsItsInputs(id) {
      return "\(event.kind) of a joint with an outcome that does not follow from its inputs"
    }
    guard !wasRunning, state.promises.work[id]?.isRunning ?? false else { return nil }
    return state.overfilledLane(of: id).map { lane in
      "\(event.kind) of work beside other work of the lane \"\(lane.name)\", whose width is \(lane.width)"
    }
  }

  /// Whether a session may have written at a position although no event that is kept opened it.
  func mayHaveWritten(_ session: SessionID, at position: Position) -> Bool {
    // An event that this build does not know may have opened it.
    guard !isFromStart else { return state.blocked[session.entityID] != nil }
    return upcoming[session.entityID]?.entity != nil
      || position <= snapshot.summary.horizon.position
  }

  /// Looks up the subjects of the next frames, and the sessions that wrote them.
  mutating func expect(
    _ frames: [(key: [UInt8], value: [UInt8])]
  ) throws(LedgerError) {
    guard !isFromStart else { return }
    var ids: Set<EntityID> = []
    for (key, bytes) in frames {
      let key = Position(bigEndianBytes: key).rawValue
      guard let frame = try? FrameView(checking: bytes.span, key: key) else { continue }
      ids.insert(frame.header.commit.session.entityID)
      // A damaged event ends the check of its frame.
      try? frame.forEachEvent { event in ids.insert(event.subject) }
    }
    let wanted = ids.sorted()
    upcoming = [:]
    let found = zip(snapshot.entities(wanted), snapshot.areTombstones(wanted))
    for (id, found) in zip(wanted, found) { upcoming[id] = (found.0, found.1) }
  }

  /// Puts the record of an entity under the events that follow.
  private mutating func load(_ id: EntityID) {
    guard loaded.insert(id).inserted, let found = upcoming[id] else { return }
    if let entity = found.entity {
      state.load(entity)
    } else if found.isTombstone {
      state.removals.note(id, isKeyed: true, at: state.position)
    }
  }

  // MARK: Comparing

  private mutating func compareNewest(_ tick: () -> Void) {
    let newest = newest.filter { !unsupported.contains($0.key) }.sorted { $0.value < $1.value }
    for slice in newest.slices(of: SnapshotReader.sliceCount) {
      pulse.beat(tick, steps: slice.count)
      for ((id, position), entity) in zip(slice, snapshot.entities(slice.map(\.key))) {
        guard let entity else {
          if position > snapshot.summary.horizon.position {
            add("The snapshot has no record of it.", position, id)
          }
          continue
        }
        guard entity.lastPosition != position, entity.kind != nil else { continue }
        add("The record of the snapshot ends with position \(entity.lastPosition).", position, id)
      }
    }
    self.newest = [:]
  }

  private mutating func compareRecords(_ tick: () -> Void) throws(LedgerError) {
    guard snapshot.isWhole, try state.digest(tick) != snapshot.summary.stateDigest else { return }
    let countBefore = findings.corruptCount
    // The effect of a later version on the other entities is unknown.
    let later = Set(state.blocked.filter { $0.value.isOfLaterVersion }.keys)
    let entities = state.overlaid.filter { !later.contains($0.id) }.sorted { $0.id < $1.id }
    for slice in entities.slices(of: SnapshotReader.sliceCount) {
      pulse.beat(tick, steps: slice.count)
      for (entity, stored) in zip(slice, snapshot.entities(slice.map(\.id)))
      where stored != entity {
        add(
          "The record of the snapshot does not match its events.", entity.lastPosition, entity.id)
      }
    }
    var extra: [EntityID] = []
    try snapshot.forEachID { id in
      pulse.beat(tick)
      if !state.isOverlaid(id), !later.contains(id) { extra.append(id) }
    }
    for id in extra { add("The snapshot has a record that no event made.", nil, id) }
    if findings.corruptCount == countBefore, later.isEmpty {
      add("The tombstones of the snapshot do not match the events.", nil, nil)
    }
  }

  private mutating func add(_ message: String, _ position: Position?, _ subject: EntityID?) {
    findings.add(message, at: position, subject: subject)
  }
}
