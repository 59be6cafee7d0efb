/// A failure of a connection or of a statement.
///
/// It never contains a password: libpq does not name any, and text that could contain one is not kept.
package struct PostgreSQLError: Error, Sendable, Hashable {
  /// The phase in which the failure occurred.
  package enum Phase: Sendable, Hashable {
    /// While connecting: no statement was sent.
    case connecting
    /// While statements ran.
    case running
    /// While results were decoded: the statements succeeded.
    case decoding
  }

  package let phase: Phase
  /// The state that the server reported, if the failure came from the server.
  package let state: SQLState?
  /// The reason for which a connection was refused, if the server reported no state for it.
  package let refusal: ConnectionRefusal?
  /// The message of the server or of libpq.
  package let message: String
  /// Whether the connection is gone. Statements that were sent may then still take effect.
  package let isConnectionLost: Bool
  /// Whether the request that failed ran a statement that was prepared before.
  let ranPreparedStatement: Bool

  /// Whether statements that were sent may have taken effect, or still may: the answer was lost, cannot be read, or
  /// came from a server that was shutting down. One that accepts no writes refused them instead.
  package var mayHaveTakenEffect: Bool {
    phase != .connecting
      && (isConnectionLost || phase == .decoding
        || asksForReconnection && state != .readOnlyTransaction)
  }

  /// Whether the server does not have the prepared statements that it is known to have: an administrator or a pooler
  /// removed them, or the tables were changed. A new connection prepares its own.
  package var isAboutPreparedStatements: Bool {
    switch state {
    case .noSuchStatement?, .duplicateStatement?: true
    case .featureNotSupported?: ranPreparedStatement
    default: false
    }
  }

  /// Whether another connection may succeed, according to the server.
  package var asksForReconnection: Bool { state?.asksForReconnection ?? false }

  package init(
    _ phase: Phase, _ message: String, state: SQLState? = nil, refusal: ConnectionRefusal? = nil,
    isConnectionLost: Bool = false, ranPreparedStatement: Bool = false
  ) {
    self.phase = phase
    self.message = message
    self.state = state
    self.refusal = refusal
    self.isConnectionLost = isConnectionLost
    self.ranPreparedStatement = ranPreparedStatement
  }
}

extension PostgreSQLError: CustomStringConvertible {
  package var description: String {
    let code = state.map { " (SQLSTATE \($0))" } ?? ""
    return "PostgreSQL\(code): \(message)"
  }
}
