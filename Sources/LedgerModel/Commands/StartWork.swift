/// Creates the promise of work that is due at once, and starts its first attempt in the same commit if that is
/// possible.
package struct StartWork: EntityCommand {
  package struct Answer: Sendable {
    package let creation: CreatePromise.Answer
    /// The promise, if the session that asks must run the attempt.
    package let started: PromiseEntity?
  }

  package let creation: CreatePromise
  /// All names, current and former, of the kinds that the session runs.
  package let runnableKinds: Set<String>

  package var id: PromiseID { creation.id }

  package init(_ creation: CreatePromise, runnableKinds: Set<String>) {
    self.creation = creation
    self.runnableKinds = runnableKinds
  }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    let answer = try decision.run(creation)
    guard case .created = answer else { return Answer(creation: answer, started: nil) }
    do throws(LedgerError) {
      let claims = try decision.run(ClaimWork([id], runnableKinds: runnableKinds))
      guard case .started(let entity)? = claims.first else {
        return Answer(creation: answer, started: nil)
      }
      return Answer(creation: answer, started: entity)
    } catch {
      // The work is created all the same, and waits for room.
      guard error.code == .ledgerFull else { throw error }
      return Answer(creation: answer, started: nil)
    }
  }
}
