import LedgerRuntime

extension Record {
  /// The columns of a list of promises.
  static let promiseColumns = [
    .name, .id, Column("state", width: 9), Column("outcome", width: 9), .time("created"),
    Column("details"),
  ]

  /// - Parameter pendingInputCount: The number of inputs that are pending, if others settle it.
  init(
    _ promise: PromiseRecord, isStale: Bool, isOverdue: Bool, pendingInputCount: Int? = nil
  ) {
    let outcome = promise.outcomeKind.map { $0 == .timedOut ? "timed out" : "\($0)" } ?? ""
    cells = [
      promise.nameText ?? "", "\(promise.id)", "\(promise.status)", outcome,
      "\(promise.created.time)",
      promise.words(isStale: isStale, isOverdue: isOverdue, pendingInputCount)
        .joined(separator: ", "),
    ]
    guard case .object(var members) = Report(promise, forProgramsOnly: true).json else {
      json = .object([:])
      return
    }
    members["isStale"] = .bool(isStale)
    members["isOverdue"] = .bool(isOverdue)
    members["pendingInputs"] = pendingInputCount.map { .integer(Int64($0)) }
    json = .object(members)
  }
}

extension PromiseRecord {
  /// Whether it was rejected or timed out.
  var failed: Bool { outcomeKind == .rejected || outcomeKind == .timedOut }

  fileprivate func words(
    isStale: Bool, isOverdue: Bool, _ pendingInputCount: Int?
  ) -> [String] {
    var words: [String] = []
    if let joint { words.append(joint.words(pendingInputCount)) }
    if isStale { words.append("stale") }
    if isOverdue { words.append("deadline passed") }
    if key != nil, let label { words.append(label.quoted) }
    switch outcome {
    case .rejected(let error):
      words.append("error \(error.description.clipped.escapingControlCharacters)")
    case .cancelled(let reason) where !reason.isEmpty:
      words.append("reason \(reason.clipped.quoted)")
    default: break
    }
    words.append("type \(typeTag.escapingControlCharacters)")
    if !tags.isEmpty { words.append("tags \(tags.map(\.quoted).joined(separator: " "))") }
    if let deadline, !isOverdue, status == .pending { words.append("deadline \(deadline)") }
    return words
  }
}
