package import LedgerRuntime

extension Report {
  /// The effects of a compaction.
  package init(_ report: CompactionReport, of ledger: LedgerID) {
    self.init()
    add("ledger", "ledger", ledger.description)
    add("snapshot", "snapshotPosition", report.snapshotPosition.rawValue)
    add("events folded", "foldedEvents", report.foldedEvents)
    add("records removed", "removedRecords", report.removedRecords)
    addUnsupportedRecords(report.unsupportedRecords)
    add("events deleted", "deletedEvents", report.deletedEvents)
    add("bytes deleted", "deletedBytes", report.deletedBytes)
    add("deleted through", "deletedThrough", report.deletedThrough.rawValue)
    if let path = report.archivePath { add("archive", "archivePath", path) }
    add("state digest", "stateDigest", report.stateDigest.description)
    add("log digest", "logDigest", report.logDigest.description)
    add("dead readers", "releasedReaders", report.releasedReaders)
    let lock = Int(report.longestLock / .microseconds(1))
    add(
      "longest lock", "longestLockInMicroseconds", .integer(Int64(lock)),
      text: "\(lock) microseconds")
    if let problem = report.problem { add("problem", "problem", problem) }
    if let code = report.problemCode { add("problemCode", .string("\(code)")) }
  }
}

extension CompactionReport {
  /// The reason why the compaction ended early, as the command's end.
  package var failure: Status.Failure? {
    guard let problem else { return nil }
    return Status.Failure(
      problemCode == .unsupportedEvent ? .findings : .corrupt,
      "Compaction stopped, and no event was deleted. \(problem)")
  }
}
