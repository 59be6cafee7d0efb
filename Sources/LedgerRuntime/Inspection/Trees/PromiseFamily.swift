/// The relations between all promises of a ledger.
struct PromiseFamily {
  /// A promise directly below another one.
  struct Tie {
    let above: PromiseID
    let below: PromiseID
    let relation: PromiseTree.Relation
    /// The order among the ties of one relation with the same promise above.
    let order: Position
  }

  private var ties: [Tie] = []

  /// Adds the relations that the record of a promise tells.
  ///
  /// - Throws: `corrupt` if the record is damaged.
  mutating func add(_ promise: PromiseEntity) throws(LedgerError) {
    guard promise.isExtended else { return }
    let creation = try promise.creation()
    if let parent = creation.parent { add(promise, .child, of: parent) }
    for (index, input) in (creation.joint?.inputs ?? []).enumerated() {
      // In the order in which the caller gave them.
      let order = Position(rawValue: UInt64(index))
      ties.append(Tie(above: promise.id, below: input, relation: .input, order: order))
    }
    guard let work = creation.work else { return }
    let awaited = work.trigger.awaited
    for id in awaited { add(promise, .continuation, of: id) }
    for id in promise.workPlace?.trigger?.awaited ?? [] where !awaited.contains(id) {
      add(promise, .continuation, of: id)
    }
  }

  private mutating func add(
    _ promise: PromiseEntity, _ relation: PromiseTree.Relation, of above: PromiseID
  ) {
    let order = promise.created.position
    ties.append(Tie(above: above, below: promise.id, relation: relation, order: order))
  }

  /// Puts the relations in order, for ``below(_:)``.
  mutating func sort() {
    ties.sort {
      ($0.above, $0.relation.order, $0.order, $0.below)
        < ($1.above, $1.relation.order, $1.order, $1.below)
    }
  }

  /// The promises directly below a promise.
  func below(_ id: PromiseID) -> ArraySlice<Tie> {
    let start = ties.partitioningIndex { $0.above >= id }
    return ties[start...].prefix { $0.above == id }
  }
}

extension PromiseTree.Relation {
  /// The order of relations below one promise.
  var order: Int {
    switch self {
    case .child: 0
    case .continuation: 2
    case .input: 1
    }
  }
}
