import LedgerModel
import LedgerPostgreSQL

/// The qualified names of the tables in one schema, for the texts of statements.
///
/// All statements name the schema, so that a search path set elsewhere changes nothing.
struct SchemaNames: Sendable, Hashable {
  /// The maximum length of a schema's name, in bytes.
  static let maximumByteCount = Identifier.maximumByteCount

  /// The schema's name as its owner wrote it.
  let name: String
  /// The name in quotes.
  let schema: String

  init(_ name: String) throws(LedgerError) {
    guard let quoted = Identifier.quoted(name), !name.hasPrefix("pg_") else {
      throw LedgerError(
        .invalidArgument,
        "The schema needs a name of 1 to \(Self.maximumByteCount) bytes that does not begin with \"pg_\"."
      )
    }
    self.name = name
    schema = quoted
  }

  var format: String { "\(schema).format" }
  var ledger: String { "\(schema).ledger" }
  var frame: String { "\(schema).frame" }
  var attachment: String { "\(schema).attachment" }
  var record: String { "\(schema).record" }
  var snapshot: String { "\(schema).snapshot" }
  var session: String { "\(schema).session" }
}
