import LedgerBytes
import LedgerLMDB

/// The tables of a snapshot in one read transaction.
///
/// It is valid only inside the closure that receives it; later reads throw.
final class LMDBSnapshotTables: SnapshotTables {
  /// Lends the handle of a transaction to the reading functions.
  private struct Reader: TableReader {
    let raw: RawTransaction
  }

  private let reader: Reader
  private let tables: LedgerTables
  private var isOver = false

  init(_ transaction: borrowing ReadTransaction, _ tables: LedgerTables) {
    reader = Reader(raw: transaction.raw)
    self.tables = tables
  }

  /// Marks that the transaction has ended.
  func end() { isOver = true }

  /// - Throws: `internalInconsistency` if the transaction has ended.
  func checkIsOpen() throws(LedgerError) {
    guard !isOver else {
      throw LedgerError(
        .internalInconsistency, "A snapshot was read after its transaction ended.")
    }
  }

  private func handle(_ table: SnapshotTable) throws(LedgerError) -> Table? {
    try checkIsOpen()
    return tables[table]
  }

  func values(
    forKeys keys: [[UInt8]], in table: SnapshotTable
  ) throws(LedgerError) -> [[UInt8]?] {
    guard let handle = try handle(table) else { return keys.map { _ in nil } }
    var values: [[UInt8]?] = []
    values.reserveCapacity(keys.count)
    for key in keys { values.append(try value(forKey: key, in: handle)) }
    return values
  }

  private func value(forKey key: [UInt8], in handle: Table) throws(LedgerError) -> [UInt8]? {
    do throws(LMDBError) {
      if handle.keys == .integer {
        let number = Position(bigEndianBytes: key).rawValue
        guard let found = try reader.value(forKey: number, in: handle) else { return nil }
        return Array(copying: found)
      }
      guard let found = try reader.value(forKey: key.span, in: handle) else { return nil }
      return Array(copying: found)
    } catch {
      throw LedgerError(error)
    }
  }

  func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool] {
    var shown: [Bool] = []
    shown.reserveCapacity(changes.count)
    for change in changes { shown.append(try shows(change)) }
    return shown
  }

  /// Compares the bytes in place.
  private func shows(_ change: TableChange) throws(LedgerError) -> Bool {
    guard let handle = try handle(change.table) else { return change.value == nil }
    guard change.table != .blob else { return try showsAttachment(change) }
    do throws(LMDBError) {
      guard let found = try reader.value(forKey: change.key.span, in: handle) else {
        return change.value == nil
      }
      return change.value.map { $0.span.isEqual(to: found) } ?? false
    } catch {
      throw LedgerError(error)
    }
  }

  private func showsAttachment(_ change: TableChange) throws(LedgerError) -> Bool {
    if let value = change.value {
      let wanted = AttachmentReference(
        position: Position(bigEndianBytes: change.key), byteCount: value.count)
      return try attachments([wanted])[0].get() == value
    }
    var isThere = false
    try scan(.blob, from: change.key) { (chunkKey, _) in
      isThere = chunkKey.starts(with: change.key)
      return false
    }
    return !isThere
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    guard let blob = try handle(.blob) else { throw .storeClosed }
    return wanted.map { wanted in
      Result { () throws(LedgerError) in
        try LMDBLog.attachment(reader, blob, of: wanted.position, wanted.byteCount)
      }
    }
  }

  func auditOfAttachments() -> any AttachmentAudit { ChunkAudit(self) }

  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
    guard let handle = try handle(table) else { return 0 }
    return try LedgerError.mappingAll { try reader.count(of: handle) }
  }

  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard let handle = try handle(table) else { return }
    try LedgerError.mappingAll {
      switch handle.keys {
      case .bytes:
        try reader.scan(handle, fromKey: start.span) { key, value in
          try body(Array(copying: key), Array(copying: value))
        }
      case .integer:
        try reader.scan(handle, from: Position(bigEndianBytes: start).rawValue) { key, value in
          try body(Position(rawValue: key).bigEndianBytes, Array(copying: value))
        }
      }
    }
  }
}

extension Span<UInt8> {
  fileprivate func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var offset = 0
    while offset + 8 <= count {
      guard loadLittleEndian(UInt64.self, at: offset) == other.loadLittleEndian(at: offset)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}
