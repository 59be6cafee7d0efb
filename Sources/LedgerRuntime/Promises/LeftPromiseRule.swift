/// The one rule for promises that are left behind, because their creator will not return for them.
struct LeftPromiseRule: Sendable {
  /// The instance whose promises the rule covers; `nil` for all instances.
  let instance: String?

  /// Whether the promise is resolved and not consumed, and left behind.
  ///
  /// The state does not show whether a task of this process waits for it.
  func isStale(_ promise: PromiseEntity, in state: LedgerState) throws(LedgerError) -> Bool {
    guard promise.status == .resolved else { return false }
    return try isLeft(promise, in: state)
  }

  /// Whether the promise is pending without a deadline, and left behind.
  ///
  /// The caller checks the handlers that refer to it separately, all at once.
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
  /// Whether the session will not return for the promises that it created, according to the log.
  var leavesItsPromises: Bool { isEnded || opened.role == .appExtension }
}

extension LedgerState {
  /// Loads the sessions that created the promises, all of them at once.
  mutating func requireCreators(of promises: [PromiseEntity]) throws(LedgerError) {
    try require(Set(promises.map(\.created.session.entityID)))
  }

  /// The promises in the arguments of handlers that can be called or have an unfinished call, and of work that
  /// has not ended.
  func promisesOfOpenCode() throws(LedgerError) -> Set<PromiseID> {
    var ids: Set<EntityID> = []
    for handler in try openHandlers() { handler.insertReferences(into: &ids) }
    for work in try openWork() { work.argumentReferences.insert(into: &ids) }
    return Set(ids.map { PromiseID(entityID: $0) })
  }
}
