/// Makes promises and handlers in one commit, or none of them.
package struct CreateTogether: Command {
  package enum Part: Sendable {
    case promise(CreatePromise)
    case handler(CreateHandler)
  }

  /// The most that one command can make: a commit must not keep others waiting for long.
  package static let maximumPartCount = 1_000

  /// In the order in which they are made.
  package let parts: [Part]

  package init(_ parts: [Part]) {
    self.parts = parts
  }

  package func addSubjects(to needs: inout SnapshotNeeds, in session: SessionID) {
    for part in parts {
      switch part {
      case .promise(let command): needs.ids.insert(command.id.entityID)
      case .handler(let command): needs.ids.insert(command.id.entityID)
      }
    }
  }

  /// - Throws: `conflict` if a promise was created by another request, or a handler that is there has
  ///   not the promises that it was to be bound to.
  package func decide(in decision: inout Decision) throws(LedgerError) {
    for part in parts {
      switch part {
      case .promise(let command):
        if case .conflict(let entity) = try decision.run(command) {
          throw .createdByAnother(entity.name)
        }
      case .handler(let command):
        guard case .exists(let entity) = try decision.run(command) else { continue }
        try command.requirePromises(of: entity)
      }
    }
  }
}

extension CreateHandler {
  /// A promise that the handler which is there does not know would never be settled by it.
  fileprivate func requirePromises(of entity: HandlerEntity) throws(LedgerError) {
    let bound = Set(entity.bound.references.promises)
    guard let other = arguments.references.promises.first(where: { !bound.contains($0) }) else {
      return
    }
    throw LedgerError(
      .conflict,
      "Handler \(id) was created by another request, and is not bound to promise \(other). Nothing was created; use another key for the handler, or a key for the promise, too, so that a repetition finds both."
    )
  }
}

extension LedgerError {
  /// The refusal of a creation under a key that another request used.
  package static func createdByAnother(_ name: String) -> LedgerError {
    LedgerError(
      .conflict,
      "\(name) was created by another request. Use another key, or findOrCreatePromise(key:) to share it."
    )
  }
}
