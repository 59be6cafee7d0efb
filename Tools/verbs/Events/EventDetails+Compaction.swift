import LedgerRuntime

extension EventDetails {
  /// Adds the content of an event about compaction; `false` if it is about something else.
  mutating func addCompaction(_ event: LedgerEvent) throws(LedgerError) -> Bool {
    if let taken = try event.decode(as: SnapshotTaken.self) {
      add(taken)
    } else if let applied = try event.decode(as: RetentionApplied.self) {
      add(applied)
    } else if let deleted = try event.decode(as: EventsDeleted.self) {
      add(deleted)
    } else {
      return false
    }
    return true
  }

  private mutating func add(_ taken: SnapshotTaken) {
    add(
      "snapshotPosition", .unsigned(taken.position.rawValue),
      "snapshot at position \(taken.position)")
    add("recordCount", .unsigned(taken.recordCount), "records \(taken.recordCount)")
    let state = taken.stateDigest.description
    add("stateDigest", .string(state), "state digest \(state.prefix(8))...")
    let log = taken.logDigest.description
    add("logDigest", .string(log), "log digest \(log.prefix(8))...")
  }

  private mutating func add(_ applied: RetentionApplied) {
    let count = applied.removedCount
    add("removedCount", .integer(Int64(count)), "records removed \(count)")
    members["after"] = .unsigned(applied.after.rawValue)
    add(
      "horizon", .unsigned(applied.horizon.rawValue),
      "ended after position \(applied.after) up to \(applied.horizon)")
    add("newestTime", .string("\(applied.time)"), "by \(applied.time)")
    guard !applied.kept.isEmpty else { return }
    let ids = applied.kept.map(\.shortText).joined(separator: " ")
    add("kept", .strings(applied.kept.map(\.description)), "kept \(ids)")
  }

  private mutating func add(_ deleted: EventsDeleted) {
    add("eventCount", .unsigned(deleted.eventCount), "events deleted \(deleted.eventCount)")
    add("through", .unsigned(deleted.through.rawValue), "up to position \(deleted.through)")
    add(
      "byteCountBefore", .unsigned(deleted.byteCountBefore),
      "bytes \(deleted.byteCountBefore) before")
    add("byteCountAfter", .unsigned(deleted.byteCountAfter), "\(deleted.byteCountAfter) after")
    members["isArchived"] = .bool(deleted.isArchived)
    if deleted.isArchived { words.append("archived") }
  }
}
