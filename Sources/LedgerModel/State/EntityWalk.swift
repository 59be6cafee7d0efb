/// A walk through the entities of one kind in a state, slice by slice, which merges those of the snapshot and
/// of the overlay without holding them all.
package struct EntityWalk: Sendable {
  /// The selection and order of the visited entities.
  package enum Path: Sendable, Hashable {
    /// The promises that are neither consumed nor abandoned, in the order of their creation.
    case openPromises
    /// The handlers that are active or have open calls, in the order of their creation.
    case openHandlers
    /// The open promises that code or other promises settle, in the order of their creation.
    case openWork
    /// The closed entities of a kind, or of all kinds, in the order in which they ended.
    case closed(EntityKind?)
    /// Of the same entities, those whose end needs no consumption: handlers, and promises that are open only until
    /// they are settled.
    case endedAlone(EntityKind?)
  }

  /// An entity of the overlay that is still to be visited.
  private struct Overlaid {
    let order: Position
    let id: EntityID
  }

  private static let sliceCount = SnapshotReader.sliceCount

  private let path: Path
  /// The snapshot position of the state from which the overlay's part was taken.
  private var base: Position?
  /// The overlay's part, in order, without the entities already visited.
  private var overlaid: ArraySlice<Overlaid> = []
  /// The position up to which all entities were visited.
  private var last = Position.start
  private var isOver = false
  /// The number of list entries so far; `nil` if they came from more than one snapshot.
  private var entryCount: UInt64? = 0

  /// - Parameter start: Entities up to this position, in the order of the walk, are skipped.
  package init(_ path: Path, after start: Position = .start) {
    self.path = path
    last = start
    if start > .start { entryCount = nil }
  }

  /// Returns the next entities. A slice may be empty; only `nil` marks the end.
  ///
  /// - Parameter state: A state at the same position each time, over any snapshot.
  /// - Throws: `snapshotMoved`; `corrupt` if an entry or a record is damaged, and at the end if the list of a
  ///   single snapshot had a number of entries other than the snapshot's count.
  package mutating func next(over state: LedgerState) throws(LedgerError) -> [LedgerEntity]? {
    guard !isOver else { return nil }
    if base != state.base {
      // Entities visited before may be elsewhere now, so the entries can no longer be counted.
      if last > .start { entryCount = nil }
      findOverlaid(in: state)
    }
    let entries = try entriesBelow(state)
    let isLastSlice = entries.count < Self.sliceCount && overlaid.count <= Self.sliceCount
    // Only up to the position where both parts are known.
    var end = Position(rawValue: .max)
    if entries.count == Self.sliceCount, let entry = entries.last { end = entry.position }
    if overlaid.count > Self.sliceCount {
      end = min(end, overlaid[overlaid.startIndex + Self.sliceCount - 1].order)
    }
    // Otherwise, the walk would never end.
    guard isLastSlice || end > last else {
      throw LedgerError(
        .corrupt,
        "The list of \(path.list.kind.name) is out of order. Restore the ledger from a copy.")
    }
    let reached = entries.filter { $0.position <= end }
    let listed = try state.snapshot.entities(
      listedBy: reached.filter { !state.isOverlaid($0.id) }, of: path.kind)
    if let entryCount {
      let count = entryCount + UInt64(reached.count)
      if isLastSlice { try state.snapshot.check(count, of: path.list.kind) }
      self.entryCount = count
    }
    let isWanted = { (entity: LedgerEntity) in path.isOn(entity) && !state.isHidden(entity) }
    // Entities are large, so they are copied only if they must be.
    let below = listed.allSatisfy(isWanted) ? listed : listed.filter(isWanted)
    let above = overlaid.prefix { $0.order <= end }
    overlaid = overlaid.dropFirst(above.count)
    last = end
    isOver = isLastSlice
    return above.isEmpty ? below : merged(below, above.compactMap { state.overlaid($0.id) })
  }

  /// The entities of both parts, each of which is in order.
  private func merged(
    _ below: [LedgerEntity], _ above: [LedgerEntity]
  ) -> [LedgerEntity] {
    guard !below.isEmpty else { return above }
    var (merged, rest) = ([] as [LedgerEntity], above[...])
    merged.reserveCapacity(below.count + above.count)
    for entity in below {
      let order = path.order(of: entity)
      while let first = rest.first, path.order(of: first) < order {
        merged.append(first)
        rest = rest.dropFirst()
      }
      merged.append(entity)
    }
    return merged + rest
  }

  private mutating func findOverlaid(in state: LedgerState) {
    base = state.base
    // Entities are large, so only their places in the order are sorted.
    var found: [Overlaid] = []
    path.visit(overlaidIn: state) { order, id in
      if order > last { found.append(Overlaid(order: order, id: id)) }
    }
    overlaid = found.sorted { $0.order < $1.order }[...]
  }

  private func entriesBelow(_ state: LedgerState) throws(LedgerError) -> [OpenEntry] {
    let list = path.list
    let highest = EntityID(high: .max, low: .max)
    let key = last == .start ? nil : list.key(highest, order: last.rawValue)
    return try state.snapshot.entries(of: list, after: key, limit: Self.sliceCount)
  }
}

extension EntityWalk.Path {
  fileprivate var list: OpenList {
    switch self {
    case .openPromises: .promises
    case .openHandlers: .handlers
    case .openWork: .work
    case .closed, .endedAlone: .closed
    }
  }

  fileprivate func order(of entity: LedgerEntity) -> Position {
    switch (self, entity) {
    case (.openPromises, .promise(let promise)), (.openWork, .promise(let promise)):
      promise.created.position
    case (.openHandlers, .handler(let handler)): handler.created.position
    default: entity.lastPosition
    }
  }

  /// The kind of the entities that are visited, if the list has others, too.
  fileprivate var kind: EntityKind? {
    switch self {
    case .closed(let kind), .endedAlone(let kind): kind
    case .openPromises, .openHandlers, .openWork: nil
    }
  }

  /// Whether a listed entity is wanted: never one that this build does not know.
  fileprivate func isOn(_ entity: LedgerEntity) -> Bool {
    guard let found = entity.kind, kind.map({ $0 == found }) ?? true else { return false }
    guard case .endedAlone = self else { return true }
    return switch entity {
    case .promise(let promise): promise.endsWhenSettled
    case .handler: true
    case .session, .opaque: false
    }
  }

  /// Passes the place in the order and the id of each entity of the overlay that is on the way.
  fileprivate func visit(overlaidIn state: LedgerState, _ body: (Position, EntityID) -> Void) {
    switch self {
    case .openPromises, .openWork:
      let isWork = self == .openWork
      for promise in state.promises.open where promise.isComputed == isWork {
        body(promise.created.position, promise.id.entityID)
      }
    case .openHandlers:
      for handler in state.handlers.open { body(handler.created.position, handler.id.entityID) }
    case .closed, .endedAlone:
      func visit(_ entity: LedgerEntity) {
        if isOn(entity), !entity.isOpen { body(entity.lastPosition, entity.id) }
      }
      if kind == nil || kind == .promise { state.promises.visitAll { visit(.promise($0)) } }
      if kind == nil || kind == .handler { state.handlers.visitAll { visit(.handler($0)) } }
      if kind == nil || kind == .session {
        for session in state.sessions.values { visit(.session(session)) }
      }
    }
  }
}
