/// Something open that names a promise or a handler.
package struct Referrer: Sendable, Hashable {
  /// How it names it.
  package enum Relation: Sendable, Hashable {
    /// The bound arguments of a handler, or the arguments of work, contain it.
    case arguments
    /// The arguments of an unfinished call contain it.
    case call(CallID)
    /// It is an input of a joint.
    case input
  }

  /// What names it.
  package enum Subject: Sendable, Hashable {
    /// A handler.
    case handler(HandlerID)
    /// Work, or a joint.
    case promise(PromiseID)
  }

  /// What names it.
  package let subject: Subject
  /// How it names it.
  package let relation: Relation
}

extension LedgerState {
  /// What open handlers, unfinished calls and open work name a promise or a handler.
  ///
  /// - Parameters:
  ///   - id: The promise or handler.
  ///   - limit: The maximum number of results.
  /// - Complexity: O(open handlers + open work).
  package func referrers(of id: EntityID, limit: Int) throws(LedgerError) -> [Referrer] {
    var found: [Referrer] = []
    for handler in try openHandlers() where handler.id.entityID != id {
      if handler.bound.references.contains(id) {
        found.append(Referrer(subject: .handler(handler.id), relation: .arguments))
      } else if let call = handler.callsInOrder.first(where: {
        $0.references.contains(id) || $0.bound.references.contains(id)
      }) {
        found.append(Referrer(subject: .handler(handler.id), relation: .call(call.id)))
      }
      guard found.count < limit else { return found }
    }
    for promise in try openComputedPromises() where promise.id.entityID != id {
      if promise.status == .pending, promise.argumentReferences.contains(id) {
        found.append(Referrer(subject: .promise(promise.id), relation: .arguments))
      } else if promise.status == .pending, let joint = promise.joint,
        joint.inputs.contains(PromiseID(entityID: id))
      {
        found.append(Referrer(subject: .promise(promise.id), relation: .input))
      }
      guard found.count < limit else { return found }
    }
    return found
  }
}

extension HandlerReferences {
  fileprivate func contains(_ id: EntityID) -> Bool {
    promises.contains(PromiseID(entityID: id)) || handlers.contains(HandlerID(entityID: id))
  }
}
