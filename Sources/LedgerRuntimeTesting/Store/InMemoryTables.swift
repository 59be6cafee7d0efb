import LedgerModel

/// The tables of a snapshot in memory.
struct InMemoryTables: SnapshotTables, Sendable {
  private var tables: [SnapshotTable: SortedTable] = [:]
  private(set) var attachments: [Position: [UInt8]] = [:]

  mutating func apply(_ change: TableChange) {
    guard change.table != .blob else {
      attachments[Position(bigEndianBytes: change.key)] = change.value
      return
    }
    tables[change.table, default: SortedTable()][change.key] = change.value
  }

  func value(forKey key: [UInt8], in table: SnapshotTable) throws(LedgerError) -> [UInt8]? {
    tables[table]?[key]
  }

  func holds(
    _ value: [UInt8]?, forKey key: [UInt8], in table: SnapshotTable
  ) throws(LedgerError) -> Bool {
    guard table != .blob else { return attachments[Position(bigEndianBytes: key)] == value }
    return tables[table]?[key] == value
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

  func attachment(of position: Position, byteCount: Int) throws(LedgerError) -> [UInt8] {
    guard let bytes = attachments[position], bytes.count == byteCount else {
      throw LedgerError(.corrupt, "The value stored at position \(position) is missing.")
    }
    return bytes
  }

  func auditOfAttachments() -> any AttachmentAudit { InMemoryAudit(attachments: attachments) }
}

/// A look at all attachments in memory.
private struct InMemoryAudit: AttachmentAudit {
  let attachments: [Position: [UInt8]]
  private var visitedCount = 0

  init(attachments: [Position: [UInt8]]) {
    self.attachments = attachments
  }

  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError) {
    for position in attachments.keys.sorted() where position >= first && position <= last {
      step()
      visitedCount += 1
      if byteCounts[position] == nil { report("A large value belongs to no event.", position) }
    }
  }

  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool {
    guard attachments.count != visitedCount else { return false }
    report("There are \(attachments.count) large values, and \(visitedCount) were looked at.")
    return attachments.count > visitedCount
  }
}
