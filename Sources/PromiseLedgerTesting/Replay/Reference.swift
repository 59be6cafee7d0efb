import PromiseLedger

/// The fully replayed history, with its digests at the positions to compare.
final class Reference {
  let inspector: BlockingInspector
  let head: Position
  let digest: StateDigest
  /// The digests, in the order of positions.
  let digests: [(position: Position, digest: StateDigest)]

  init(of archives: [String], in workshop: borrowing Workshop, count: Int) throws {
    try workshop.copies.makeLedger("reference", from: archives)
    inspector = try workshop.copies.inspect("reference")
    head = try inspector.head
    var digests: [(Position, StateDigest)] = []
    var state = LedgerState(snapshot: try SnapshotReader(inspector.store))
    for position in Position.spread(after: state.position, through: head, count: count) {
      while state.position < position {
        try state.apply(eventsOf: inspector.store, through: position, limit: EventSlice.eventCount)
      }
      if let problem = state.blocked.min(by: { $0.value.position < $1.value.position }) {
        throw problem.value.refusal(of: problem.key)
      }
      digests.append((position, try state.digest()))
    }
    self.digests = digests
    digest = digests.last?.1 ?? .empty
  }

  deinit {
    inspector.close()
  }

  // MARK: Comparing

  /// Requires that a source has the reference's state.
  func compare(
    _ source: any LedgerSource, in check: ReplayDifference.Check
  ) throws {
    let actual = try LedgerState.replayed(from: source).digest()
    guard actual != digest else { return }
    throw try difference(check, source)
  }

  /// The first difference from the reference.
  func difference(
    _ check: ReplayDifference.Check, _ source: any LedgerSource
  ) throws -> ReplayDifference {
    var low = try SnapshotReader(source).position.rawValue
    var high = try source.head().rawValue
    func states(at position: UInt64) throws -> (LedgerState, LedgerState) {
      let position = Position(rawValue: position)
      return (
        try .replayed(from: inspector.store, through: position),
        try .replayed(from: source, through: position)
      )
    }
    while low < high {
      let middle = low + (high - low) / 2
      let (expected, actual) = try states(at: middle)
      if try expected.digest() == actual.digest() { low = middle + 1 } else { high = middle }
    }
    let (expected, actual) = try states(at: low)
    return ReplayDifference(
      check: check, position: Position(rawValue: low),
      subject: try expected.firstDifference(from: actual), expected: try expected.digest(),
      actual: try actual.digest())
  }
}

extension LedgerState {
  /// The lowest id of an entity that another state lacks, or has in a different form.
  fileprivate func firstDifference(from other: LedgerState) throws -> EntityID? {
    let lowest = EntityID(high: 0, low: 0)
    let highest = EntityID(high: .max, low: .max)
    let all = try [self, other].flatMap { state in
      try state.ids(from: lowest, through: highest, limit: .max)
    }
    for (kind, id) in all.sorted(by: { $0.id < $1.id })
    where try entity(id, kind) != other.entity(id, kind) {
      return id
    }
    return nil
  }
}
