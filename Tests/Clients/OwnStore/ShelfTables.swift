import LedgerModel

/// The tables of a snapshot, and the values that are stored beside events.
struct ShelfTables: SnapshotTables {
  private var tables: [SnapshotTable: [[UInt8]: [UInt8]]] = [:]
  private var attachments: [UInt64: [UInt8]] = [:]

  var byteCount: Int { attachments.values.reduce(0) { $0 + $1.count } }

  func hasAttachment(at position: Position) -> Bool { attachments[position.rawValue] != nil }

  mutating func putAttachment(_ bytes: [UInt8], at position: Position) {
    attachments[position.rawValue] = bytes
  }

  mutating func apply(_ change: TableChange) {
    if change.table == .blob {
      attachments[Self.number(change.key)] = change.value
    } else {
      tables[change.table, default: [:]][change.key] = change.value
    }
  }

  /// Numbers in keys are big-endian.
  static func number(_ key: [UInt8]) -> UInt64 { key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

  // MARK: Reading

  func values(forKeys keys: [[UInt8]], in table: SnapshotTable) -> [[UInt8]?] {
    keys.map { tables[table]?[$0] }
  }

  func show(_ changes: ArraySlice<TableChange>) -> [Bool] {
    changes.map { change in
      change.table == .blob
        ? attachments[Self.number(change.key)] == change.value
        : tables[change.table]?[change.key] == change.value
    }
  }

  func entryCount(of table: SnapshotTable) -> Int { tables[table]?.count ?? 0 }

  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let entries = (tables[table] ?? [:]).filter { !$0.key.lexicographicallyPrecedes(start) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for entry in entries { guard try body(entry.key, entry.value) else { return } }
  }

  func attachments(_ wanted: [AttachmentReference]) -> [Result<[UInt8], LedgerError>] {
    wanted.map { wanted in
      guard let bytes = attachments[wanted.position.rawValue], bytes.count == wanted.byteCount
      else {
        return .failure(LedgerError(.corrupt, "The value at \(wanted.position) is missing."))
      }
      return .success(bytes)
    }
  }

  func auditOfAttachments() -> any AttachmentAudit {
    ShelfAudit(sizes: attachments.mapValues(\.count))
  }
}

private struct ShelfAudit: AttachmentAudit {
  let sizes: [UInt64: Int]
  private var seen = 0

  init(sizes: [UInt64: Int]) { self.sizes = sizes }

  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) {
    for key in sizes.keys.sorted() where key >= first.rawValue && key <= last.rawValue {
      step()
      seen += 1
      let position = Position(rawValue: key)
      if byteCounts[position] == nil { report("A value belongs to no event.", position) }
    }
  }

  func checkCount(report: (String) -> Void) -> Bool {
    if sizes.count != seen { report("There are \(sizes.count) values, and \(seen) were checked.") }
    return sizes.count > seen
  }
}
