import LedgerBytes

extension PromiseEntity {
  /// The promise of the work that created this one.
  package var parent: PromiseID? {
    PromiseCreated.hasParent(encoded: creationPayload) ? (try? creation())?.parent : nil
  }

  /// The entries of a pending promise in the lists of work and joints, besides that of all that are open.
  var workEntries: [OpenEntry] {
    var entries: [OpenEntry] = []
    if let parent {
      entries.append(OpenEntry(key: OpenList.children(parent).key(id.entityID), value: []))
    }
    entries += Set(awaitedInputs).map { input in
      OpenEntry(key: OpenList.joints(input).key(id.entityID), value: [])
    }
    guard let place = workPlace else { return entries }
    entries += place.entries(id.entityID)
    if let entry = place.laneEntry(id.entityID) { entries.append(entry) }
    return entries
  }
}

extension WorkPlace {
  /// The entries in the lists of its phase.
  fileprivate func entries(_ id: EntityID) -> [OpenEntry] {
    switch phase {
    case .running(let session):
      return [OpenEntry(key: OpenList.running(session).key(id), value: [])]
    case .parked(let position):
      let key = OpenList.parkedWork.key(id, order: position.rawValue)
      return [OpenEntry(key: key, value: Array(kind.utf8))]
    case .waiting(let trigger):
      var entries = trigger.awaitedSettlements.map { promise, settlement in
        OpenEntry(
          key: OpenList.awaitingWork(promise, settlement).key(id), value: dueValue(of: kind))
      }
      switch trigger {
      case .now:
        let order = createdAt.prioritized(priority).ordered
        let key = OpenList.dueWork(kind).key(id, order: order)
        entries.append(OpenEntry(key: key, value: dueValue()))
      case .at, .firstOf, .after:
        guard let time = trigger.time else { break }
        let key = OpenList.timedWork(kind).key(id, order: time.ordered)
        entries.append(OpenEntry(key: key, value: dueValue()))
      }
      return entries
    }
  }

  /// The facts that a runner needs before it reads the record: priority, position of the creation, kind and
  /// lane.
  ///
  /// - Parameter kind: The kind, if the key does not contain it.
  private func dueValue(of kind: String? = nil) -> [UInt8] {
    var value = [UInt8(bitPattern: priority)]
    value.appendLittleEndian(created.rawValue)
    if let kind { value.appendText(kind) }
    value.appendText(lane?.name ?? "")
    return value
  }

  /// The entry in the list of its lane; parked work has none.
  fileprivate func laneEntry(_ id: EntityID) -> OpenEntry? {
    guard let lane, !isParked else { return nil }
    let list = OpenList.lane(lane.name, holdsLane ? .held : .queued)
    var value: [UInt8] = []
    value.appendLittleEndian(UInt16(clamping: lane.width))
    if holdsLane {
      value.append(isRunning ? 1 : 0)
    } else {
      trigger?.append(to: &value)
    }
    return OpenEntry(key: list.key(id, order: created.rawValue), value: value)
  }
}

// MARK: - Reading entries

/// The content of an entry in the lists of work that waits.
struct WaitingWork: Sendable {
  let priority: Int8
  /// The position of the creation.
  let created: Position
  let kind: String
  let lane: String?
}

extension OpenEntry {
  /// The content of an entry in the lists of work that waits.
  ///
  /// - Parameter kind: The kind, if the entry is in a list of one kind.
  func waitingWork(of kind: String? = nil) throws(LedgerError) -> WaitingWork {
    try parsed { (reader) throws(PayloadDamage) in
      let priority: Int8 = try reader.integer()
      let created = try reader.position()
      let kind = if let kind { kind } else { try reader.text() }
      let lane = try reader.text()
      return WaitingWork(
        priority: priority, created: created, kind: kind, lane: lane.isEmpty ? nil : lane)
    }
  }

  /// The width that work demands of its lane, and whether it runs, in the list of work that holds the lane.
  package func laneHold() throws(LedgerError) -> (width: Int, isRunning: Bool) {
    try parsed { (reader) throws(PayloadDamage) in
      let width: UInt16 = try reader.integer()
      let isRunning: UInt8 = try reader.integer()
      return (Int(width), isRunning == 1)
    }
  }

  /// The trigger of work that waits in its lane.
  package func laneTrigger() throws(LedgerError) -> WorkTrigger {
    try parsed { (reader) throws(PayloadDamage) in
      try reader.skip(2)
      return try WorkTrigger(reading: &reader)
    }
  }

  /// The awaited promise and the settlement, in the list of work that awaits promises.
  package var awaited: (promise: PromiseID, settlement: WorkTrigger.Settlement)? {
    guard key.count == 34, let settlement = WorkTrigger.Settlement(rawValue: key[17]) else {
      return nil
    }
    return (PromiseID(entityID: EntityID(loadedFrom: key.span, at: 1)), settlement)
  }

  /// The awaited promise, in the list of work that awaits promises and in that of joints.
  var awaitedPromise: PromiseID? {
    guard kind == .joints else { return awaited?.promise }
    return key.count == 33 ? PromiseID(entityID: EntityID(loadedFrom: key.span, at: 1)) : nil
  }

  private func parsed<R>(
    _ body: (inout PayloadReader) throws(PayloadDamage) -> R
  ) throws(LedgerError) -> R {
    do throws(PayloadDamage) {
      var reader = PayloadReader(value)
      let result = try body(&reader)
      try reader.finish()
      return result
    } catch {
      throw damaged(error.what)
    }
  }
}
