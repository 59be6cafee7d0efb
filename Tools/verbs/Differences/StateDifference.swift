import LedgerRuntime

/// Two states, and the way through what is different between them.
struct StateDifference {
  let before: ReplayedLedger
  let after: ReplayedLedger
  /// Whether these are states of one ledger, in which the value beside an event never changes.
  let isOfOneLedger: Bool
  /// Called now and then.
  let alive: () -> Void

  /// Passes on each change in the order of ids, until `body` returns `false`.
  func forEachChange(_ body: (StateChange) throws -> Bool) throws {
    var old = SubjectCursor(before, alive)
    var new = SubjectCursor(after, alive)
    var (left, right) = (try old.next(), try new.next())
    while left != nil || right != nil {
      // Without an id, a side is at its end.
      let isOnlyOld =
        right.map { right in left.map { $0.entityID < right.entityID } ?? false } ?? true
      let isOnlyNew =
        left.map { left in right.map { $0.entityID < left.entityID } ?? false } ?? true
      let change = try StateChange(
        before: isOnlyNew ? nil : left.flatMap { try Subject($0, in: before) },
        after: isOnlyOld ? nil : right.flatMap { try Subject($0, in: after) },
        haveSameLargeValues: haveSameLargeValues)
      if let change, try !body(change) { return }
      if !isOnlyNew { left = try old.next() }
      if !isOnlyOld { right = try new.next() }
    }
  }

  /// Whether the large values of a subject are the same in both states, in which it is otherwise the same.
  private func haveSameLargeValues(_ subject: Subject) throws(LedgerError) -> Bool {
    guard !isOfOneLedger else { return true }
    for value in subject.unreadAttachments.sorted(by: { $0.position < $1.position }) {
      alive()
      let old = try before.attachment(of: value.position, byteCount: value.byteCount)
      let new = try after.attachment(of: value.position, byteCount: value.byteCount)
      guard old == new else { return false }
    }
    return true
  }
}

/// The subjects of a state in the order of their ids, some at a time.
private struct SubjectCursor {
  /// Each time, everything that changed since the snapshot is looked at.
  private static let count = 100_000

  private let replayed: ReplayedLedger
  private let alive: () -> Void
  private var known: ArraySlice<LedgerSubject> = []
  /// The lowest id that was not asked for; `nil` at the end.
  private var start: EntityID? = EntityID(high: 0, low: 0)
  private var handedOut = 0

  init(_ replayed: ReplayedLedger, _ alive: @escaping () -> Void) {
    (self.replayed, self.alive) = (replayed, alive)
  }

  mutating func next() throws -> LedgerSubject? {
    if known.isEmpty, let start {
      let found = try replayed.subjects(
        from: start, through: EntityID(high: .max, low: .max), limit: Self.count, progress: alive)
      known = found[...]
      self.start = found.count == Self.count ? found.last?.entityID.successor : nil
    }
    handedOut += 1
    if handedOut.isMultiple(of: 1_000) { alive() }
    return known.popFirst()
  }
}

extension Subject {
  /// The large values that belong to it and are stored beside its events, but for those that were read with it.
  fileprivate var unreadAttachments: Set<AttachmentReference> {
    switch self {
    case .promise(let record): record.unreadAttachments
    case .handler(let record): record.unreadAttachments
    case .session: []
    }
  }
}
