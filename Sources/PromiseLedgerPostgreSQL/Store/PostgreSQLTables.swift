import LedgerBytes
import LedgerModel
import LedgerPostgreSQL

/// The tables of a snapshot in one view.
struct PostgreSQLTables: SnapshotTables {
  private let view: PinnedView
  private var sql: LedgerSQL { view.sql }

  init(_ view: PinnedView) {
    self.view = view
  }

  func values(
    forKeys keys: [[UInt8]], in table: SnapshotTable
  ) throws(LedgerError) -> [[UInt8]?] {
    guard !keys.isEmpty else { return [] }
    switch table {
    case .meta:
      var values: [[UInt8]?] = []
      for key in keys {
        switch key {
        case SnapshotSummary.key: values.append(view.row.summary)
        case LedgerMetadata.key: values.append(view.row.metadata)
        default: values.append(nil)
        }
      }
      return values
    case .log:
      var values: [[UInt8]?] = []
      for key in keys {
        let position = Position(bigEndianBytes: key)
        let rows = try view.run(sql.frame(containing: position))
        let found = rows.count == 1 ? try number(rows, 0, 0) : nil
        values.append(found == position.stored ? rows.bytes(0, 1) : nil)
      }
      return values
    case .entities, .parts, .open, .tombstones, .blob:
      guard let table = RecordTable(table) else { return keys.map { _ in nil } }
      let rows = try view.run(sql.records(keys, in: table))
      return rows.indices.map { rows.isNull($0, 0) ? nil : rows.bytes($0, 0) }
    }
  }

  func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool] {
    var shown: [Bool] = []
    shown.reserveCapacity(changes.count)
    var rest = changes
    // One look-up for each run of changes to one table.
    while let table = rest.first?.table {
      let run = rest.prefix { $0.table == table }
      rest = rest.dropFirst(run.count)
      let found: [[UInt8]?]
      if table == .blob {
        found = try lookUpAttachments(
          run.map {
            AttachmentReference(
              position: Position(bigEndianBytes: $0.key), byteCount: $0.value?.count ?? 0)
          }
        ).map { $0.found?.bytes }
      } else {
        found = try values(forKeys: run.map(\.key), in: table)
      }
      shown += zip(run, found).map { $0.value == $1 }
    }
    return shown
  }

  // MARK: Counting and walking

  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
    if table == .meta { return view.row.summary == nil ? 1 : 2 }
    let statement = RecordTable(table).map(sql.recordCount)
    return Int(try number(view.run(statement ?? sql.frameCount), 0, 0))
  }

  /// Does nothing: the server keeps no number of entries, and guards its pages itself.
  func checkCount(of table: SnapshotTable, in counts: SnapshotSummary.Counts) {}

  /// The number of entries of the first piece of a walk, and the largest.
  private static let pieceCounts = (first: 128, largest: 4_096)

  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard let table = RecordTable(table) else { return try scanOthers(table, from: start, body) }
    var (last, isAfter, count) = (start, false, Self.pieceCounts.first)
    while true {
      let rows = try view.run(sql.entries(of: table, from: last, isAfter: isAfter, limit: count))
      for row in rows.indices {
        last = rows.bytes(row, 0)
        guard try body(last, rows.bytes(row, 1)) else { return }
      }
      guard rows.count == count else { return }
      (isAfter, count) = (true, min(2 * count, Self.pieceCounts.largest))
    }
  }

  /// Walks through a table that is stored in another way.
  private func scanOthers(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    if table == .meta {
      for key in [LedgerMetadata.key, SnapshotSummary.key] where !key.precedes(start) {
        guard let value = try value(forKey: key, in: .meta) else { continue }
        guard try body(key, value) else { return }
      }
      return
    }
    guard table == .log else { return }
    var next = Position(bigEndianBytes: start)
    while next <= view.row.head {
      let rows = try view.run(sql.frames(from: next, count: PinnedView.sliceCount))
      for row in rows.indices {
        let key = Position(stored: try number(rows, row, 0))
        // The frame before may contain the event.
        guard key >= next else { continue }
        guard try body(key.bigEndianBytes, rows.bytes(row, 1)) else { return }
      }
      next = next.advanced(by: PinnedView.sliceCount + 1)
    }
  }

  private func number(
    _ rows: Rows, _ row: Int, _ column: Int
  ) throws(LedgerError) -> Int64 {
    try LedgerError.onServer(sql.names) { () throws(PostgreSQLError) in
      try rows.int8(row, column)
    }
  }

  // MARK: Attachments

  /// An attachment as it is stored.
  struct StoredAttachment {
    let bytes: [UInt8]
    let checksum: Int64
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    try lookUpAttachments(wanted).map { wanted, found in Self.checked(found, wanted) }
  }

  func lookUpAttachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [(wanted: AttachmentReference, found: StoredAttachment?)] {
    guard !wanted.isEmpty else { return [] }
    let rows = try view.run(sql.attachments(at: wanted.map(\.position)))
    var found: [(AttachmentReference, StoredAttachment?)] = []
    for (row, wanted) in wanted.enumerated() {
      guard !rows.isNull(row, 0) else {
        found.append((wanted, nil))
        continue
      }
      let checksum = try number(rows, row, 1)
      found.append((wanted, StoredAttachment(bytes: rows.bytes(row, 2), checksum: checksum)))
    }
    return found
  }

  static func checked(
    _ found: StoredAttachment?, _ wanted: AttachmentReference
  ) -> Result<[UInt8], LedgerError> {
    guard let found, found.bytes.count == wanted.byteCount else {
      return .failure(.damagedAttachment(wanted.position, "missing, or has another size"))
    }
    guard found.checksum == AppendedFrames.checksum(of: found.bytes, at: wanted.position) else {
      return .failure(.damagedAttachment(wanted.position, "damaged"))
    }
    return .success(found.bytes)
  }

  func auditOfAttachments() -> any AttachmentAudit { AttachmentRowAudit(view) }
}

/// An audit of all rows with attachments.
private struct AttachmentRowAudit: AttachmentAudit {
  private let view: PinnedView
  private var visitedCount = 0

  init(_ view: PinnedView) {
    self.view = view
  }

  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError) {
    let rows = try view.run(view.sql.attachedPositions(from: first, through: last))
    for row in rows.indices {
      step()
      visitedCount += 1
      let position = try LedgerError.onServer(view.sql.names) { () throws(PostgreSQLError) in
        Position(stored: try rows.int8(row, 0))
      }
      if byteCounts[position] == nil { report("A large value belongs to no event.", position) }
    }
  }

  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool {
    let rows = try view.run(view.sql.attachmentCount)
    let count = try LedgerError.onServer(view.sql.names) { () throws(PostgreSQLError) in
      Int(try rows.int8(0, 0))
    }
    guard count != visitedCount else { return false }
    report("There are \(count) large values, but \(visitedCount) were checked.")
    return count > visitedCount
  }
}

extension LedgerError {
  fileprivate static func damagedAttachment(_ position: Position, _ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The value stored at position \(position) is \(what). Restore the database from a backup.")
  }
}
