package import LedgerModel

/// The tables of a snapshot in memory.
package struct InMemoryTables: SnapshotTables, Sendable {
  private var tables: [SnapshotTable: SortedTable] = [:]
  private var blobs: [Position: [UInt8]] = [:]

  package init() {}

  var attachmentByteCount: Int { blobs.values.reduce(0) { $0 + $1.count } }

  func hasAttachment(at position: Position) -> Bool { blobs[position] != nil }

  mutating func removeAttachments(after position: Position) {
    blobs = blobs.filter { $0.key <= position }
  }

  mutating func apply(_ change: TableChange) {
    guard change.table != .blob else {
      blobs[Position(bigEndianBytes: change.key)] = change.value
      return
    }
    tables[change.table, default: SortedTable()][change.key] = change.value
  }

  /// Adds entries, in the order of tables and keys.
  mutating func put(_ entries: [TableChange]) {
    for (table, entries) in Dictionary(grouping: entries, by: \.table) {
      guard table != .blob else {
        for entry in entries { apply(entry) }
        continue
      }
      tables[table, default: SortedTable()].merge(
        entries.compactMap { entry in entry.value.map { (entry.key, $0) } })
    }
  }

  package func values(forKeys keys: [[UInt8]], in table: SnapshotTable) -> [[UInt8]?] {
    keys.map { tables[table]?[$0] }
  }

  package func show(_ changes: ArraySlice<TableChange>) -> [Bool] {
    changes.map { change in
      change.table == .blob
        ? blobs[Position(bigEndianBytes: change.key)] == change.value
        : tables[change.table]?[change.key] == change.value
    }
  }

  package func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
    tables[table]?.count ?? 0
  }

  package func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    try tables[table]?.scan(from: start, body)
  }

  package func attachments(_ wanted: [AttachmentReference]) -> [Result<[UInt8], LedgerError>] {
    wanted.map { wanted in
      guard let bytes = blobs[wanted.position], bytes.count == wanted.byteCount else {
        return .failure(
          LedgerError(
            .corrupt, "The value stored at position \(wanted.position) is missing."))
      }
      return .success(bytes)
    }
  }

  package func auditOfAttachments() -> any AttachmentAudit { InMemoryAudit(attachments: blobs) }
}

/// An audit of all attachments in memory.
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
    report("There are \(attachments.count) large values, but \(visitedCount) were checked.")
    return attachments.count > visitedCount
  }
}
