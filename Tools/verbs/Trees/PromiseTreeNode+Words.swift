import LedgerRuntime

extension PromiseTree.Node {
  /// The promise in a line of the drawing.
  func words(hasWholeID: Bool) -> String {
    var parts = [hasWholeID ? "\(id)" : id.entityID.shortText]
    var what = relation.map { ["\($0.rawValue)"] } ?? []
    guard let record else {
      return (parts + what + ["readable only by a later version"]).joined(separator: "  ")
    }
    let sort = record.joint == nil ? "promise" : "joint"
    what.append(record.work?.kind.escapingControlCharacters ?? sort)
    parts.append(what.joined(separator: " "))
    guard !isRepeated else { return (parts + ["shown elsewhere"]).joined(separator: "  ") }
    let facts = [record.stateWords(standing)] + record.treeWords(standing)
    return (parts + [facts.joined(separator: ", ")]).joined(separator: "  ")
  }

  /// The promise as JSON.
  ///
  /// - Parameter above: The promise above it.
  func json(above: PromiseID?) -> JSONValue {
    var members: [String: JSONValue] = ["id": .string("\(id)")]
    if let record, case .object(let facts) = Report(record).json { members = facts }
    if record == nil { members["isUnreadable"] = .bool(true) }
    members["depth"] = .integer(Int64(depth))
    members["relation"] = relation.map { .string($0.rawValue) }
    members["above"] = above.map { .string("\($0)") }
    if isRepeated { members["isRepeated"] = .bool(true) }
    if leftOutCount > 0 { members["leftOut"] = .integer(Int64(leftOutCount)) }
    if let standing {
      members["workState"] = .string(standing.state.rawValue)
      members["since"] = .string("\(standing.since)")
      members["presence"] = standing.presence.map { .string("\($0)") }
    }
    return .object(members)
  }
}

extension PromiseTree {
  /// Passes on each node with the promise above it.
  func forEachNode(_ body: (Node, _ above: PromiseID?) throws -> Void) rethrows {
    var path: [PromiseID] = []
    for node in nodes {
      if path.count > node.depth { path.removeSubrange(node.depth...) }
      try body(node, path.last)
      path.append(node.id)
    }
  }
}

extension PromiseRecord {
  /// Its state, and since when.
  fileprivate func stateWords(_ standing: WorkStanding?) -> String {
    if let abandoned { return "abandoned at \(abandoned.time)" }
    if let outcomeKind, let resolved {
      let outcome = outcomeKind == .timedOut ? "timed out" : "\(outcomeKind)"
      return "\(outcome) at \(resolved.time)\(consumed == nil ? "" : ", consumed")"
    }
    if let standing { return "\(standing.state.rawValue) since \(standing.since)" }
    return "pending since \(created.time)"
  }

  fileprivate func treeWords(_ standing: WorkStanding?) -> [String] {
    if let standing { return workWords(standing) }
    var words: [String] = []
    if let label { words.append(label.quoted) }
    if let key { words.append("key \(key.quoted)") }
    if let deadline, status == .pending { words.append("deadline \(deadline)") }
    switch outcome {
    case .rejected(let error): words.append(error.description.clipped.escapingControlCharacters)
    case .cancelled(let reason): words.append("reason \(reason.clipped.quoted)")
    case .fulfilled, .timedOut, nil: break
    }
    if let abandonReason { words.append("reason \(abandonReason.clipped.quoted)") }
    return words
  }
}
