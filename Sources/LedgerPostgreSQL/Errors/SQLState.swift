/// The five characters by which PostgreSQL classifies an error; see "PostgreSQL Error Codes" in its manual.
package struct SQLState: RawRepresentable, Sendable, Hashable {
  package let rawValue: String

  package init(rawValue: String) { self.rawValue = rawValue }

  package static let warning = SQLState(rawValue: "01000")
  /// Also that of a prepared statement whose columns have other types than before.
  package static let featureNotSupported = SQLState(rawValue: "0A000")
  package static let readOnlyTransaction = SQLState(rawValue: "25006")
  package static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
  package static let noSuchStatement = SQLState(rawValue: "26000")
  package static let wrongPassword = SQLState(rawValue: "28P01")
  package static let noSuchDatabase = SQLState(rawValue: "3D000")
  package static let noSuchSchema = SQLState(rawValue: "3F000")
  package static let serializationFailure = SQLState(rawValue: "40001")
  package static let deadlock = SQLState(rawValue: "40P01")
  package static let missingRight = SQLState(rawValue: "42501")
  package static let noSuchTable = SQLState(rawValue: "42P01")
  package static let duplicateStatement = SQLState(rawValue: "42P05")
  package static let uniqueViolation = SQLState(rawValue: "23505")
  package static let diskFull = SQLState(rawValue: "53100")
  package static let tooManyConnections = SQLState(rawValue: "53300")
  package static let lockNotAvailable = SQLState(rawValue: "55P03")
  package static let queryCanceled = SQLState(rawValue: "57014")
  package static let damagedData = SQLState(rawValue: "XX001")
  package static let damagedIndex = SQLState(rawValue: "XX002")

  /// The class of the error: the first two characters.
  package var errorClass: Substring { rawValue.prefix(2) }

  /// Whether another connection may succeed: the connection failed, the server shuts down or starts, or it is a
  /// standby that may have taken over.
  package var asksForReconnection: Bool {
    errorClass == "08" || rawValue.hasPrefix("57P") || self == .readOnlyTransaction
      || self == .idleInTransactionTimeout
  }
}

extension SQLState: CustomStringConvertible {
  package var description: String { rawValue }
}
