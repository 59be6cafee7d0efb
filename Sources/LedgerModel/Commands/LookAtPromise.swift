/// Looks at a promise behind every commit that was begun before, and writes nothing but an outcome that is due: that of
/// a deadline, or of a joint that its inputs decide.
package struct LookAtPromise: EntityCommand {
  package struct Answer: Sendable {
    /// The promise; `nil` if there is none.
    package let entity: PromiseEntity?
    /// The time of the look. Commits that follow have this time or a later one, unless a clock is set back.
    package let time: Timestamp
  }

  package let id: PromiseID

  package init(id: PromiseID) { self.id = id }

  package func decide(in decision: inout Decision) throws(LedgerError) -> Answer {
    try decision.settleIfDue(id)
    return Answer(entity: try decision.promise(id), time: decision.now)
  }
}
