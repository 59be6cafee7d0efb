/// The statements that the server keeps for one connection.
struct PreparedStatements {
  /// One request to the server, which has one result.
  enum Request {
    case prepare(Statement, name: String)
    case runPrepared(Statement, name: String)
    case run(Statement)

    /// Whether its result is that of a statement.
    var runsStatement: Bool {
      if case .prepare = self { false } else { true }
    }

    var runsPreparedStatement: Bool {
      if case .runPrepared = self { true } else { false }
    }
  }

  /// A text means another statement if its parameters have other types.
  private struct Key: Hashable {
    let sql: String
    let types: [UInt32]

    init(_ statement: Statement) {
      sql = statement.sql
      types = statement.values.map(\.typeNumber)
    }
  }

  private var names: [Key: String] = [:]
  private var count = 0
  /// Keeps the names apart from those that another client left on a connection that a pooler lends.
  private let prefix = String(UInt64.random(in: .min ... .max), radix: 36)

  /// Returns the requests that run a statement, and notes that the server will know it.
  mutating func requests(for statement: Statement) -> [Request] {
    guard statement.isPrepared else { return [.run(statement)] }
    let key = Key(statement)
    if let name = names[key] { return [.runPrepared(statement, name: name)] }
    count += 1
    let name = "ledger_\(prefix)_\(count)"
    names[key] = name
    return [.prepare(statement, name: name), .runPrepared(statement, name: name)]
  }

  /// Forgets the statements that were not prepared, because the server refused that request or one before it.
  mutating func forget(_ requests: some Sequence<Request>) {
    for case .prepare(let statement, _) in requests { names[Key(statement)] = nil }
  }
}
