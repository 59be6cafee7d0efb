import LedgerModel

/// The contents of a ledger at one moment: a store of another package, as simple as one can be.
struct Shelf: LedgerSource {
  private var frames: [(key: UInt64, bytes: [UInt8])] = []
  private var end = Position.start
  private var frameNumber: UInt32 = 0
  private(set) var tables = ShelfTables()

  var byteCount: Int { frames.reduce(tables.byteCount) { $0 + $1.bytes.count } }

  // MARK: Reading

  func head() -> Position { end }

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    let deleted = try tables.summary().deletedThrough
    guard position >= deleted else { throw .eventsDeleted(after: position, through: deleted) }
    var walk = FrameWalk(after: position)
    var count = 0
    for frame in frames where count < limit {
      let view = try FrameView(checking: frame.bytes.span, key: frame.key)
      guard view.header.lastPosition > position else { continue }
      guard try walk.isNew(view.header) else { continue }
      try body(view)
      count = Int(walk.position.rawValue - position.rawValue)
    }
    return walk.position
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    let deleted = try tables.summary().deletedThrough
    return zip(wanted, tables.attachments(wanted)).map { wanted, found in
      guard wanted.position <= deleted, !tables.hasAttachment(at: wanted.position) else {
        return found
      }
      return .failure(.attachmentDeleted(of: wanted.position, through: deleted))
    }
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(tables)
  }

  // MARK: Writing

  func newerHead(than base: Position) throws(LedgerError) -> Position? {
    guard end >= base else {
      throw LedgerError(.corrupt, "The log ends at \(end), before \(base).")
    }
    return end == base ? nil : end
  }

  mutating func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    if let head = try newerHead(than: base) { return .headMoved(to: head) }
    let first = base.rawValue + 1
    batch.packFrames(
      from: Position(rawValue: first), number: frameNumber &+ 1, commit: commit
    ) { key, frame in
      frames.append((key, frame.indices.map { frame[$0] }))
      frameNumber &+= 1
    }
    for (index, bytes) in batch.attachments {
      tables.putAttachment(bytes, at: Position(rawValue: first + UInt64(index)))
    }
    end = Position(rawValue: base.rawValue + UInt64(batch.count))
    return .appended(through: end)
  }

  mutating func change(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary
  ) throws(LedgerError) {
    guard try tables.summary() == old else { throw .snapshotMoved }
    for change in changes {
      if change.table == .log {
        frames.removeAll { $0.key == ShelfTables.number(change.key) }
      } else {
        tables.apply(change)
      }
    }
    tables.apply(TableChange(.meta, SnapshotSummary.key, new.encoded))
  }
}
