/// The one rule for which promises are left behind: their creator will not come for them.
struct LeftPromiseRule: Sendable {
  /// The instance whose promises are meant; `nil` for those of all.
  let instance: String?

  /// Whether the promise is resolved and not consumed, and left behind.
  ///
  /// A task of this process that waits for it cannot be seen in the state.
  func isStale(_ promise: PromiseEntity, in state: LedgerState) throws(LedgerError) -> Bool {
    guard promise.status == .resolved else { return false }
    return try isLeft(promise, in: state)
  }

  /// Whether the promise is pending without a deadline, and left behind.
  ///
  /// Handlers that refer to it are to be looked at apart, all at once.
  func isOrphaned(_ promise: PromiseEntity, in state: LedgerState) throws(LedgerError) -> Bool {
    guard promise.status == .pending, promise.deadline == nil else { return false }
    return try isLeft(promise, in: state)
  }

  private func isLeft(_ promise: PromiseEntity, in state: LedgerState) throws(LedgerError) -> Bool {
    let id = promise.created.session
    guard let creator = try state.readableSession(id) else {
      guard instance == nil else { return false }
      return try !state.isOpenAndOpaque(id)
    }
    return creator.leavesItsPromises && (instance == nil || creator.opened.instance == instance)
  }
}

extension SessionEntity {
  /// Whether the session will not come for the promises that it created, as far as the log tells.
  var leavesItsPromises: Bool { isEnded || opened.role == .appExtension }
}

extension LedgerState {
  /// Makes sure that the sessions that created promises can be looked up, all of them at once.
  mutating func requireCreators(of promises: [PromiseEntity]) throws(LedgerError) {
    try require(Set(promises.map(\.created.session.entityID)))
  }

  /// The promises in the arguments of handlers that can be called, or have a call that is not finished.
  func promisesOfOpenHandlers() throws(LedgerError) -> Set<PromiseID> {
    var ids: Set<EntityID> = []
    for handler in try openHandlers() { handler.insertReferences(into: &ids) }
    return Set(ids.map { PromiseID(entityID: $0) })
  }
}
