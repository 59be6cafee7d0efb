import LedgerModel

/// A table in memory whose keys are in the order of their bytes.
struct SortedTable: Sendable {
  private var keys: [[UInt8]] = []
  private var values: [[UInt8]] = []

  var count: Int { keys.count }

  subscript(key: [UInt8]) -> [UInt8]? {
    get {
      let index = index(atOrAbove: key)
      return index < keys.count && keys[index] == key ? values[index] : nil
    }
    set {
      let index = index(atOrAbove: key)
      let isThere = index < keys.count && keys[index] == key
      switch (newValue, isThere) {
      case (let value?, true): values[index] = value
      case (let value?, false):
        keys.insert(key, at: index)
        values.insert(value, at: index)
      case (nil, true):
        keys.remove(at: index)
        values.remove(at: index)
      case (nil, false): break
      }
    }
  }

  func scan(
    from start: [UInt8], _ body: ([UInt8], [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    for index in index(atOrAbove: start)..<keys.count {
      guard try body(keys[index], values[index]) else { return }
    }
  }

  private func index(atOrAbove key: [UInt8]) -> Int {
    keys.partitioningIndex { !$0.lexicographicallyPrecedes(key) }
  }
}

/// The tables of a snapshot in memory.
struct InMemoryTables: SnapshotTables, Sendable {
  private var tables: [SnapshotTable: SortedTable] = [:]

  mutating func apply(_ change: TableChange) {
    tables[change.table, default: SortedTable()][change.key] = change.value
  }

  func value(forKey key: [UInt8], in table: SnapshotTable) throws(LedgerError) -> [UInt8]? {
    tables[table]?[key]
  }

  func holds(
    _ value: [UInt8]?, forKey key: [UInt8], in table: SnapshotTable
  ) throws(LedgerError) -> Bool {
    tables[table]?[key] == value
  }

  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
    tables[table]?.count ?? 0
  }

  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    try tables[table]?.scan(from: start, body)
  }
}
