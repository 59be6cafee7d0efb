extension SnapshotTables {
  /// Returns the records of entities, in the order of the ids, checked and joined. A damaged record fails
  /// individually.
  package func records(
    _ ids: some Collection<EntityID>
  ) throws(LedgerError) -> [Result<SnapshotRecord.Stored?, LedgerError>] {
    try lookingUp(ids) { (ids) throws(LedgerError) in
      let firsts = try values(forKeys: ids.map(SnapshotRecord.key), in: .entities)
      var records = [Result<SnapshotRecord.Stored?, LedgerError>](
        repeating: .success(nil), count: ids.count)
      var found: [(index: Int, id: EntityID, first: [UInt8])] = []
      for (index, first) in firsts.enumerated() {
        if let first { found.append((index, ids[index], first)) }
      }
      let joined = try join(found.map { (id: $0.id, piece: $0.first) })
      for (entry, record) in zip(found, joined) { records[entry.index] = record.map { $0 } }
      return records
    }
  }

  /// Joins records whose first pieces were read. A damaged record fails individually.
  package func join(
    _ firsts: some Collection<(id: EntityID, piece: [UInt8])>
  ) throws(LedgerError) -> [Result<SnapshotRecord.Stored, LedgerError>] {
    try lookingUp(firsts) { (firsts) throws(LedgerError) in
      var keys: [[UInt8]] = []
      let starts = firsts.map { id, piece in
        defer {
          for number in 1..<SnapshotRecord.pieceCount(of: id, first: piece) {
            keys.append(SnapshotRecord.partKey(id, number))
          }
        }
        return keys.count
      }
      let parts = keys.isEmpty ? [] : try values(forKeys: keys, in: .parts)
      var records: [Result<SnapshotRecord.Stored, LedgerError>] = []
      records.reserveCapacity(firsts.count)
      for ((id, first), start) in zip(firsts, starts) {
        records.append(
          try LedgerError.catchingDamage { () throws(LedgerError) in
            try SnapshotRecord.join(id, first: first) { (number) in parts[start + number - 1] }
          })
      }
      return records
    }
  }

  /// Whether the records of keyed entities were removed. A damaged tombstone fails individually.
  package func areTombstones(
    _ ids: some Collection<EntityID>
  ) throws(LedgerError) -> [Result<Bool, LedgerError>] {
    try lookingUp(ids) { (ids) throws(LedgerError) in
      var tombstones: [Result<Bool, LedgerError>] = []
      for (id, value) in zip(ids, try values(forKeys: ids.map(SnapshotRecord.key), in: .tombstones))
      {
        tombstones.append(
          try LedgerError.catchingDamage { () throws(LedgerError) in
            if let value { try SnapshotRecord.checkTombstone(value, of: id) }
            return value != nil
          })
      }
      return tombstones
    }
  }

  /// Returns an error for each entity whose record some list contradicts, in the order of the entities.
  package func listProblems(of entities: [LedgerEntity]) throws(LedgerError) -> [LedgerError?] {
    try lookingUp(entities) { (entities) throws(LedgerError) in
      let entries = entities.map(\.openEntries)
      let changes = entries.joined().map { TableChange(.open, $0.key, $0.stored) }
      let shown = try show(changes[...])
      var start = 0
      return zip(entities, entries).map { entity, entries in
        defer { start += entries.count }
        guard !shown[start..<start + entries.count].allSatisfy({ $0 }) else { return .success(()) }
        return .failure(
          SnapshotRecord.damaged(entity.id, "the lists of the snapshot contradict it"))
      }
    }.map { if case .failure(let error) = $0 { error } else { nil } }
  }

  /// Looks up several items at once, or one by one if it meets damage, so that each item fails individually.
  package func lookingUp<Wanted, Found>(
    _ wanted: some Collection<Wanted>,
    _ body: (_ wanted: [Wanted]) throws(LedgerError) -> [Result<Found, LedgerError>]
  ) throws(LedgerError) -> [Result<Found, LedgerError>] {
    guard !wanted.isEmpty else { return [] }
    do throws(LedgerError) {
      return try body(Array(wanted))
    } catch {
      guard error.isDamage else { throw error }
      guard wanted.count > 1 else { return [.failure(error)] }
    }
    var found: [Result<Found, LedgerError>] = []
    for one in wanted { found += try lookingUp(CollectionOfOne(one), body) }
    return found
  }
}
