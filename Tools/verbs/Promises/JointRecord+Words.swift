import LedgerRuntime

extension JointRecord {
  /// The rule and the inputs, in a line of a table.
  func words(_ pendingInputCount: Int?) -> String {
    let nouns = isGrouped ? ("group", "groups") : ("input", "inputs")
    let count = "joint \(rule) of \(inputs.count) \(inputs.count == 1 ? nouns.0 : nouns.1)"
    return pendingInputCount.map { "\(count), \($0) pending" } ?? count
  }
}

extension ReplayedLedger {
  /// The number of inputs of a pending joint that are pending themselves; `nil` for anything else.
  func pendingInputCount(of record: PromiseRecord) throws(LedgerError) -> Int? {
    guard record.status == .pending, let joint = record.joint else { return nil }
    var count = 0
    for input in joint.inputs where try self.record(of: input)?.status == .pending { count += 1 }
    return count
  }
}
