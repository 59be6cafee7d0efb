package import LedgerRuntime

extension Report {
  /// The effects that a compaction would have, and the reasons why the rest would stay.
  package init(_ plan: CompactionPlan, of ledger: LedgerID) {
    self.init()
    add("ledger", "ledger", ledger.description)
    add("head", "head", plan.head.rawValue)
    add("snapshot", "snapshotPosition", plan.snapshotPosition.rawValue)
    add("events to fold", "eventsToFold", plan.eventsToFold)
    add("records to remove", "recordsToRemove", plan.recordsToRemove)
    add("events to delete", "eventsToDelete", plan.eventsToDelete)
    add("bytes to delete", "bytesToDelete", plan.bytesToDelete)
    add("deleted through", "deletedThrough", plan.deletedThrough.rawValue)
    if let path = plan.archivePath { add("archive", "archivePath", path) }
    add("events kept", "eventsKept", .unsigned(plan.eventsKept), text: plan.keptEvents)
    addLine("records kept", plan.keptRecords)
    add(
      "records needed", "recordsNeeded", .integer(Int64(plan.recordsNeeded)),
      text: "\(plan.recordsNeeded), old enough to be removed, but something open refers to them")
    addUnsupportedRecords(plan.unsupportedRecords)
    add("isEmpty", .bool(plan.isEmpty))
    add("policy", .object(plan.policy.members))
  }
}

extension Report {
  /// Records of a later version, if there are any.
  mutating func addUnsupportedRecords(_ count: Int) {
    guard count > 0 else { return }
    add(
      "records unsupported", "unsupportedRecords", .integer(Int64(count)),
      text: "\(count), of a later version; while there are any, no record is removed")
  }
}

extension CompactionPlan {
  fileprivate var eventsKept: UInt64 {
    head.rawValue - min(deletedThrough.rawValue, head.rawValue)
  }

  fileprivate var keptEvents: String {
    guard let retention = policy.eventRetention else { return "\(eventsKept), all" }
    let age = DurationArgument(retention).words
    return
      "\(eventsKept): the newest \(policy.minimumEventCount), those of the last \(age), and always the last frame"
  }

  fileprivate var keptRecords: String {
    guard let retention = policy.recordRetention else { return "all" }
    let age = DurationArgument(retention).words
    return
      "everything that is open or ended in the last \(age), and a tombstone for each removed key"
  }
}

extension CompactionPolicy {
  fileprivate var members: [String: JSONValue] {
    var members: [String: JSONValue] = ["minimumEventCount": .integer(Int64(minimumEventCount))]
    members["eventRetentionInSeconds"] = eventRetention.map { .integer($0.components.seconds) }
    members["archiveDirectory"] = archiveDirectory.map(JSONValue.string)
    members["recordRetentionInSeconds"] = recordRetention.map { .integer($0.components.seconds) }
    return members
  }
}
