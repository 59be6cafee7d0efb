/// Why a connection was refused, where the server reports no state for it.
package enum ConnectionRefusal: Sendable, Hashable {
  /// The server asks for a password, and there is none.
  case missingPassword
  /// The server offers no TLS, or the certificate of one side is not accepted.
  case noTLS
  /// No server accepts writes: each is a standby, or read-only for this role or database.
  case readOnly
  /// The server is older than any that is supported.
  case oldServer
}

// MARK: What messages say

extension ConnectionRefusal {
  /// Whether a message of libpq quotes an error of a server.
  ///
  /// In any language of the server, its severity stands before a colon and two blanks. libpq's own messages have no
  /// such place; if one had, the connection would only be tried once more.
  package static func isFromServer(_ message: String) -> Bool { message.contains(":  ") }

  /// The state in a message that libpq wrote with all details, as in `FATAL:  28P01: …`.
  ///
  /// This is certain: libpq writes the state between severity and message, and neither it nor the server translates it.
  /// If several hosts were tried, a state after which another attempt may succeed is preferred.
  package static func state(in message: String) -> SQLState? {
    let states = message.matches(of: #/:  ([0-9A-Z]{5}): /#).map {
      SQLState(rawValue: String($0.1))
    }
    return states.first { $0.asksForReconnection } ?? states.first
  }

  /// Guesses the reason from a message of libpq itself.
  ///
  /// There is no other sign than its words. They are English unless the program called `setlocale`, and may be others
  /// in another version. A wrong guess only changes the remedy: the connection is unavailable either way.
  package init?(guessedFrom message: String) {
    if message.contains("SSL") || message.contains("certificate") {
      self = .noTLS
    } else if message.contains("read-only") || message.contains("standby") {
      self = .readOnly
    } else {
      return nil
    }
  }
}

// MARK: Old servers

extension PostgreSQLError {
  /// The oldest server that is supported, in the form of `PQserverVersion`.
  private static let oldestServer: Int32 = 140_000

  /// The error for a server that is too old; `nil` if it is not.
  ///
  /// - Parameter version: The version in the form of `PQserverVersion`, as in 140005 or 90624.
  package static func unsupportedServer(_ version: Int32) -> PostgreSQLError? {
    guard version < oldestServer else { return nil }
    let (major, minor) = (version / 10_000, version % 10_000)
    // Up to version 9.6, a major version had two numbers.
    let name = major < 10 ? "\(major).\(minor / 100)" : "\(major)"
    return PostgreSQLError(
      .connecting, "The server is PostgreSQL \(name), which is older than 14.", refusal: .oldServer)
  }
}
