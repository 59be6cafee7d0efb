package import LedgerModel
import LedgerModelTestSupport
package import LedgerOracle

/// A state in memory that the commands change, without a store and without a session's engine.
package struct PureSubject: WalkSubject {
  package static let mode = Oracle.Mode.plain

  package let foldsAlways = false
  private var state = LedgerState()
  private var batches: [(batch: EventBatch, session: SessionID)] = []

  package init() {}

  package mutating func run(
    _ step: OracleStep, _ oracle: Oracle
  ) throws -> (answer: Oracle.Answer, facts: [Oracle.Fact]) {
    switch step.command {
    // There is no snapshot.
    case .fold, .deleteEvents: return (.done, [])
    case .removeRecords: return (.count(0), [])
    default: break
    }
    let session = SessionID.numbered(step.session)
    let (answer, batch, staged) = decide(
      WalkedCommand(step.command, oracle.particulars(of: step.command)),
      DecisionContext(
        session: session, role: oracle.sessions[step.session]?.role.model ?? .appExtension,
        now: .at(Int64(step.now))))
    state.merge(staged)
    if !batch.isEmpty { batches.append((batch, session)) }
    return (answer, batch.facts)
  }

  /// The decision, which refers to the state, has ended when this returns: merging copies nothing.
  private func decide(
    _ command: WalkedCommand, _ context: DecisionContext
  ) -> (Oracle.Answer, EventBatch, StagedLayer) {
    var decision = Decision(over: state, context: context)
    var answer: Oracle.Answer
    do throws(LedgerError) {
      answer = try decision.run(command)
    } catch {
      answer = .refused(Oracle.Refusal(error))
    }
    return (answer, decision.batch, decision.staged)
  }

  package func look<R: Sendable>(_ body: (LedgerState) throws -> R) throws -> R {
    try body(state)
  }

  package mutating func end() throws -> String? {
    var fresh = LedgerState()
    for (number, (batch, session)) in batches.enumerated() {
      let commit = CommitID(session: session, number: UInt64(number))
      for frame in batch.frames(from: fresh.position.advanced(by: 1), commit: commit) {
        try frame.replay(into: &fresh)
      }
    }
    guard try fresh.digest() == state.digest() else {
      return "A replay of the frames makes another state."
    }
    return fresh.blocked.isEmpty ? nil : "An event did not fit: \(fresh.blocked.values)"
  }
}
