import LedgerBytes
import LedgerLMDB

/// A copy of all tables of one view into a new environment.
///
/// The bytes of every key and value stay as they are, with their checksums. The pages are new and full, so the
/// copy has no free space.
struct TableCopy {
  /// The amount of data in one transaction, in bytes. It bounds the memory that a copy takes.
  static let groupByteCount = 16 << 20

  private let source: LedgerTables
  private let destination: Environment
  /// Called after each group with its size; an error ends the copy.
  private let step: (_ byteCount: Int) throws -> Void

  init(
    from source: LedgerTables, to destination: Environment,
    step: @escaping (_ byteCount: Int) throws -> Void
  ) {
    self.source = source
    self.destination = destination
    self.step = step
  }

  /// Copies every table. The record of the ledger itself stays as the destination has it.
  func copy(_ view: borrowing ReadTransaction) throws {
    for table in SnapshotTable.allCases {
      guard let from = source[table] else { continue }
      let to = try destination.table(named: table.name)
      switch from.keys {
      case .integer: try copyIntegers(view, from, to)
      case .bytes: try copyBytes(view, from, to, except: table == .meta ? LedgerMetadata.key : [])
      }
    }
  }

  /// Copies the events after a position, with their attachments, to a copy that ends there.
  func copyEvents(after position: Position, _ view: borrowing ReadTransaction) throws {
    let first = position.advanced(by: 1)
    if let log = source[.log] {
      try copyIntegers(
        view, log, destination.table(named: log.name), from: first.rawValue
      ) { key, frame in
        _ = try FrameView(checking: frame, key: key)
      }
    }
    if let blob = source[.blob] {
      try copyBytes(
        view, blob, destination.table(named: blob.name), from: Chunk.key(first, 0), except: [])
    }
  }

  private func copyIntegers(
    _ view: borrowing ReadTransaction, _ from: Table, _ to: Table, from first: UInt64 = 0,
    check: (_ key: UInt64, _ value: Span<UInt8>) throws -> Void = { _, _ in }
  ) throws {
    var next: UInt64? = first
    while let start = next {
      var byteCount = 0
      try destination.writeGrowing { transaction in
        (next, byteCount) = (nil, 0)
        try view.scan(from, from: start) { key, value in
          guard byteCount < Self.groupByteCount else {
            next = key
            return false
          }
          try check(key, value)
          try transaction.put(value, forKey: key, in: to, append: true)
          byteCount += value.count
          return true
        }
      }
      try step(byteCount)
    }
  }

  private func copyBytes(
    _ view: borrowing ReadTransaction, _ from: Table, _ to: Table, from first: [UInt8] = [],
    except skipped: [UInt8]
  ) throws {
    var next: [UInt8]? = first
    while let start = next {
      var byteCount = 0
      try destination.writeGrowing { transaction in
        (next, byteCount) = (nil, 0)
        try view.scan(from, fromKey: start.span) { key, value in
          let name = Array(copying: key)
          guard byteCount < Self.groupByteCount else {
            next = name
            return false
          }
          guard name != skipped else { return true }
          // The new ledger has its own record there already, so this one may come before the last.
          try transaction.put(value, forKey: key, in: to, append: skipped.isEmpty)
          byteCount += key.count + value.count
          return true
        }
      }
      try step(byteCount)
    }
  }
}
