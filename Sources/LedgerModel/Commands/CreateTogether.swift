/// Creates promises and handlers in one commit, or none of them.
package struct CreateTogether: Command {
  package enum Part: Sendable {
    case promise(CreatePromise)
    case handler(CreateHandler)
  }

  /// The maximum number of parts in one command: a commit must not keep other commits waiting for long.
  package static let maximumPartCount = 1_000

  /// The promises and handlers in the order of their creation.
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

  /// - Throws: `conflict` if a promise was created by another request, or an existing handler is not bound to
  ///   the promises that it should be bound to.
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
  /// Checks that an existing handler knows the promises: it would never settle one that it does not know.
  fileprivate func requirePromises(of entity: HandlerEntity) throws(LedgerError) {
    let bound = Set(entity.bound.references.promises)
    guard let other = arguments.references.promises.first(where: { !bound.contains($0) }) else {
      return
    }
    throw LedgerError(
      .conflict,
      "Handler \(id) was created by another request, and is not bound to promise \(other). Nothing was created. Use another key for the handler, or give the promise a key too, so that a repetition finds both."
    )
  }
}

extension LedgerError {
  /// The refusal of a creation whose key was used by another request.
  package static func createdByAnother(_ name: String) -> LedgerError {
    LedgerError(
      .conflict,
      "\(name) was created by another request. Use another key, or findOrCreatePromise(key:) to share it."
    )
  }
}
