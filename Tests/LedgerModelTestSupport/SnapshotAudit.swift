package import LedgerModel
import Testing

/// Checks a whole snapshot against itself: records, lists, counts and digest.
package struct SnapshotAudit {
  package private(set) var entities: [EntityID: LedgerEntity] = [:]

  package init(_ source: any SnapshotSource & Sendable) throws {
    let reader = try SnapshotReader(source)
    var digest = StateDigest.empty
    var counts = SnapshotSummary.Counts()
    var listed: Set<OpenEntry> = []
    var ids: [EntityID] = []
    var tombstones: [EntityID] = []
    var stored: Set<OpenEntry> = []
    try source.readSnapshot { (tables) throws(LedgerError) in
      try tables.scan(.entities, from: [0]) { (key, _) throws(LedgerError) in
        ids.append(EntityID(loadedFrom: key.span, at: 0))
        return true
      }
      try tables.scan(.tombstones, from: [0]) { (key, _) throws(LedgerError) in
        tombstones.append(EntityID(loadedFrom: key.span, at: 0))
        return true
      }
      try tables.scan(.open, from: [0]) { (key, value) throws(LedgerError) in
        stored.insert(try OpenEntry(key: key, stored: value))
        return true
      }
    }
    for id in ids {
      let record = try #require(try reader.records([id])[0])
      let entity = try LedgerEntity(type: record.type, id: id, content: record.content)
      entities[id] = entity
      digest.add(record.type, id, record.content)
      counts.add(record.type, byteCount: record.content.count)
      if record.type.knownKind == nil { Issue.record("\(id) is of a later version") }
      listed.formUnion(entity.openEntries)
      #expect(entity.lastPosition <= reader.position)
    }
    for id in tombstones { digest.addTombstone(id) }
    counts.tombstones = UInt64(tombstones.count)
    for entry in listed { counts.lists.add(entry) }
    #expect(reader.summary.stateDigest == digest)
    #expect(reader.summary.counts == counts)
    #expect(stored == listed)
    #expect(reader.summary.deletedThrough <= reader.summary.readBackThrough)
  }
}
