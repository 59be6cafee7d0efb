extension LedgerState {
  /// Returns the ids of the existing entities between two ids, both inclusive, in order.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of entities to return; others do not count towards the limit.
  ///   - limit: The maximum number of ids.
  ///   - wants: Chooses ids; the others are skipped before their records are read.
  /// - Throws: `snapshotMoved`; `corrupt` if a record is damaged.
  package func ids(
    from first: EntityID, through last: EntityID,
    of kinds: Set<EntityKind> = Set(EntityKind.allCases), limit: Int,
    where wants: (EntityID) -> Bool = { _ in true }, _ tick: () -> Void = {}
  ) throws(LedgerError) -> [(kind: EntityKind, id: EntityID)] {
    var found: [(kind: EntityKind, id: EntityID)] = []
    for entity in overlaid where entity.id >= first && entity.id <= last && wants(entity.id) {
      if let kind = entity.kind, kinds.contains(kind) { found.append((kind, entity.id)) }
    }
    var below = 0
    var start = first
    while below < limit {
      let slice = try snapshot.ids(from: start, limit: SnapshotReader.sliceCount)
      tick()
      for id in slice where id <= last && wants(id) && !isOverlaid(id) {
        guard let entity = try snapshot.entity(id), let kind = entity.kind, kinds.contains(kind),
          !isHidden(entity)
        else { continue }
        found.append((kind, id))
        below += 1
        if below == limit { break }
      }
      guard slice.count == SnapshotReader.sliceCount, let end = slice.last, end < last,
        let next = end.successor
      else { break }
      start = next
    }
    return Array(found.sorted { $0.id < $1.id }.prefix(limit))
  }
}

extension EntityID {
  package var successor: EntityID? {
    let low = low &+ 1
    if low > 0 { return EntityID(high: high, low: low) }
    return high == .max ? nil : EntityID(high: high + 1, low: 0)
  }
}
