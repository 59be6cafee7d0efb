/// The entities of one kind that a commit changes, in the order of their first change.
package struct StagedTable<ID: LedgerIdentifier, Entity: Sendable>: Sendable {
  package private(set) var ids: [ID] = []
  package private(set) var entities: ContiguousArray<Entity> = []
  private var places = PlaceIndex()

  package subscript(id: ID) -> Entity? { place(of: id).map { entities[$0] } }

  private func place(of id: ID) -> Int? {
    guard !ids.isEmpty else { return nil }
    return places.find(id.entityID) { ids[Int($0)] == id }.map { Int($0) }
  }
}

extension StagedTable where Entity: ReplayedEntity {
  /// Applies an event to an entity, which is first copied from the underlying state.
  ///
  /// - Parameter below: Returns the entity of the underlying state; called for its first change only.
  /// - Returns: The place of the entity in ``entities``.
  mutating func apply(
    _ event: borrowing EventView, to id: ID, over below: () throws(LedgerError) -> Entity?
  ) throws(LedgerError) -> Int {
    if let place = place(of: id) {
      try fitting { () throws(ReplayProblem) in try entities[place].apply(event) }
      return place
    }
    if var entity = try below() {
      try fitting { () throws(ReplayProblem) in try entity.apply(event) }
      entities.append(entity)
    } else {
      entities.append(
        try fitting { () throws(ReplayProblem) in try Entity(creating: event) })
    }
    let place = ids.count
    ids.append(id)
    places.insert(id.entityID, at: Int32(place))
    return place
  }
}

/// Applies an event that a decision made, which must fit.
private func fitting<R>(_ body: () throws(ReplayProblem) -> R) throws(LedgerError) -> R {
  do throws(ReplayProblem) {
    return try body()
  } catch {
    throw .misfit(error)
  }
}

extension LedgerError {
  static func misfit(_ problem: ReplayProblem) -> LedgerError {
    LedgerError(
      .internalInconsistency,
      "A decision made an event that cannot be applied: \(problem.reason). Nothing was written; please report this."
    )
  }
}
