import LedgerLMDB

/// The tables of a ledger in its environment, found without looking up their names.
struct LedgerTables: Sendable {
  /// Every possible table, in the order in which environments open them.
  private static let order: [SnapshotTable] = [
    .meta, .log, .blob, .entities, .parts, .open, .tombstones,
  ]

  static let descriptions = order.map {
    TableDescription($0.name, keys: $0 == .log ? .integer : .bytes)
  }

  /// The tables that every ledger has, including one that was never opened by a build with snapshots.
  static let firstDescriptions = Array(descriptions.prefix(4))

  private let tables: [Table]

  /// - Precondition: The environment was opened with ``descriptions`` or ``firstDescriptions``.
  init(_ environment: Environment) {
    tables = environment.tables
  }

  /// A table; `nil` in an environment that only an older build wrote.
  subscript(table: SnapshotTable) -> Table? {
    guard let place = Self.order.firstIndex(of: table), place < tables.count else { return nil }
    return tables[place]
  }
}
