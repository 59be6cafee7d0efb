package import LedgerModel
package import LedgerOracle

/// A ledger on which a walk tries its commands.
package protocol WalkSubject {
  /// The way in which it commits commands.
  static var mode: Oracle.Mode { get }

  /// Whether the ledger is folded after each command.
  var foldsAlways: Bool { get }

  /// Carries out a command, and returns its answer and its events.
  ///
  /// - Parameter oracle: The state before the command.
  mutating func run(
    _ step: OracleStep, _ oracle: Oracle
  ) throws -> (answer: Oracle.Answer, facts: [Oracle.Fact])

  /// Runs a closure on the current state.
  mutating func look<R: Sendable>(_ body: (LedgerState) throws -> R) throws -> R

  /// Checks at the end that the records can be rebuilt.
  ///
  /// - Returns: A problem.
  mutating func end() throws -> String?
}

extension EventBatch {
  /// The events in the terms of the oracle.
  package var facts: [Oracle.Fact] {
    var facts: [Oracle.Fact] = []
    facts.reserveCapacity(count)
    var start = 0
    for end in ends {
      let event = EventView(
        bytes: bytes.span.extracting(start..<end), position: .start,
        session: SessionID(entityID: EntityID(high: 0, low: 0)))
      facts.append(Oracle.Fact(event.kind, event.subject))
      start = end
    }
    return facts
  }
}
