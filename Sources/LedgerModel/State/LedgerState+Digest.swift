extension LedgerState {
  /// The fingerprint of all entities and tombstones, equal for equal contents, however the state was reached.
  ///
  /// - Parameter tick: Called now and then.
  /// - Complexity: O(changes since the snapshot), with a look-up in the snapshot for each.
  package func digest(_ tick: () -> Void = {}) throws(LedgerError) -> StateDigest {
    var digest = snapshot.summary.stateDigest
    var pulse = Pulse()
    let entities = overlaid
    for slice in entities.slices(of: SnapshotReader.sliceCount) {
      let below = try snapshot.records(slice.map(\.id))
      for (entity, stored) in zip(slice, below) {
        if let stored { digest.remove(stored.type, entity.id, stored.content) }
        digest.add(entity.type, entity.id, entity.content)
        pulse.beat(tick)
      }
    }
    for (id, removed) in removals.removed {
      pulse.beat(tick)
      let stored = try snapshot.records([id]).first ?? nil
      if let stored { digest.remove(stored.type, id, stored.content) }
      if removed.isKeyed { digest.addTombstone(id) }
    }
    try takeOutHidden(&digest, tick)
    return digest
  }

  /// Subtracts the records that the snapshot still has and retention removed.
  private func takeOutHidden(
    _ digest: inout StateDigest, _ tick: () -> Void
  ) throws(LedgerError) {
    guard !removals.isEmpty else { return }
    var pulse = Pulse()
    var hidden: [OpenEntry] = []
    try snapshot.forEachEntry(of: .closed) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      if removals.hides(entry.id, closedAt: entry.position), !isOverlaid(entry.id) {
        hidden.append(entry)
      }
      return true
    }
    for entity in try snapshot.entities(listedBy: hidden) {
      pulse.beat(tick)
      digest.remove(entity.type, entity.id, entity.content)
      if entity.isKeyed { digest.addTombstone(entity.id) }
    }
  }
}
