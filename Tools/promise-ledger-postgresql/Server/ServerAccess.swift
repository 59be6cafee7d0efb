import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// Options for the way to ledgers on a server.
protocol ServerAccess: ParsableArguments, Sendable {
  var connection: String? { get }
  var schema: String { get }
}

extension ServerAccess {
  /// The ledger of a name. This does not connect.
  func place(_ name: String) throws(LedgerError) -> PostgreSQLLedger {
    var place = try PostgreSQLLedger(name, on: connection ?? "", schema: schema)
    // The programs that work with the ledger say what the server must promise.
    place.requiredDurability = .notSynced
    return place
  }

  /// The schema, without a ledger.
  func schemaPlace() throws(LedgerError) -> PostgreSQLLedger { try place("schema") }

  /// Refuses a connection string that shows a password to all users of this machine.
  func checkConnection() throws {
    let place: PostgreSQLLedger
    do throws(LedgerError) {
      place = try schemaPlace()
    } catch {
      throw ValidationError(error.message)
    }
    guard !place.hasSecret else {
      throw ValidationError(
        "--connection has a password, which every user of this machine can see in the list of processes. Leave it out, and put it into the file ~/.pgpass or the variable PGPASSWORD."
      )
    }
  }

  /// The options as words of a command line.
  var words: [String] {
    let schema = schema == SchemaOptions.usualSchema ? [] : ["--schema", schema]
    return (connection.map { ["--connection", $0] } ?? []) + schema
  }
}

extension ArgumentHelp {
  static let connection = ArgumentHelp(
    """
    The server, database and role, as a connection string or URI of libpq, such as \
    "service=shop" or "host=db.example.com dbname=shop user=shop". What it leaves out comes from \
    where psql finds it: variables such as PGHOST and PGSERVICE, and the file of passwords.
    """, valueName: "string")

  static let schema = ArgumentHelp("The schema with the tables of the ledgers.", valueName: "name")

  static let standby: Self = """
    Prefer a standby, if the connection names several hosts. It may lack the newest events.
    """
}
