package import LedgerModel

extension PureLedger {
  /// A ledger in which the sessions 1 and 2 are open; 1 writes.
  package static func withSessions() throws -> PureLedger {
    var ledger = PureLedger()
    for number in [2, 1] {
      ledger.context.session = .numbered(number)
      try ledger.commit(OpenSession(.sample(instance: "instance \(number)")))
    }
    return ledger
  }

  /// Decides a command for another session.
  @discardableResult
  package mutating func commit<Answer>(
    _ command: some Command<Answer>, as session: Int
  ) throws(LedgerError) -> Answer {
    let own = context.session
    context.session = .numbered(session)
    defer { context.session = own }
    return try commit(command)
  }
}
