import LedgerBytes
package import LedgerModel

/// The contents of a store in memory at one moment.
package struct InMemoryLedger: LedgerSource {
  private var frames: [(key: UInt64, bytes: [UInt8])] = []
  /// The size in bytes up to which frames are filled.
  package let frameByteCount: Int
  private var end = Position.start
  private var frameNumber: UInt32 = 0
  package private(set) var tables = InMemoryTables()
  /// The number of upcoming commits that lose a race.
  package var conflictCount = 0

  package init(frameByteCount: Int) {
    self.frameByteCount = frameByteCount
  }

  package var usedByteCount: Int {
    frames.reduce(0) { $0 + $1.bytes.count } + tables.attachmentByteCount
  }

  // MARK: Reading

  package func head() -> Position { end }

  package func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    let deleted = try tables.summary().deletedThrough
    guard position >= deleted else { throw .eventsDeleted(after: position, through: deleted) }
    guard position.rawValue < .max else { return position }
    var walk = FrameWalk(after: position)
    var left = limit
    let first = frames.partitioningIndex { $0.key > position.rawValue + 1 }
    for frame in frames[max(first - 1, 0)...] {
      if left <= 0 { break }
      let view = try FrameView(checking: frame.bytes.span, key: frame.key)
      let known = walk.position
      guard try walk.isNew(view.header) else { continue }
      try body(view)
      left -= known.distance(to: walk.position)
    }
    return walk.position
  }

  package func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    let deleted = try tables.summary().deletedThrough
    return zip(wanted, tables.attachments(wanted)).map { wanted, found in
      guard !tables.hasAttachment(at: wanted.position), wanted.position <= deleted else {
        return found
      }
      return .failure(.attachmentDeleted(of: wanted.position, through: deleted))
    }
  }

  package func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(tables)
  }

  // MARK: Writing

  /// Returns the head unless it is `base` and no race is lost.
  package mutating func newerHead(than base: Position) throws(LedgerError) -> Position? {
    guard end >= base else { throw .vanished(after: end, known: base) }
    guard end == base, conflictCount == 0 else {
      conflictCount = max(0, conflictCount - 1)
      return end
    }
    return nil
  }

  package mutating func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    if let head = try newerHead(than: base) { return .headMoved(to: head) }
    batch.packFrames(
      from: base.advanced(by: 1), number: frameNumber &+ 1, commit: commit,
      filling: frameByteCount
    ) { key, frame in
      frames.append((key, Array(copying: frame)))
      frameNumber &+= 1
    }
    for attachment in batch.attachments {
      tables.apply(TableChange(attachment.bytes, at: base.advanced(by: attachment.index + 1)))
    }
    end = base.advanced(by: batch.count)
    return .appended(through: end)
  }

  package mutating func apply(_ change: TableChange) {
    switch change.table {
    case .log:
      let key: UInt64 = change.key.span.loadLittleEndian(at: 0)
      frames.removeAll { $0.key == key.byteSwapped }
    case .entities, .parts, .open, .tombstones, .meta, .blob:
      tables.apply(change)
    }
  }
}

// MARK: - Building

extension InMemoryLedger {
  /// Adds frames of a ledger under construction, in the order of positions.
  ///
  /// - Throws: `corrupt` if a frame is not one.
  mutating func append(
    _ built: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError) {
    for frame in built {
      let header = try FrameView(checking: frame.bytes.span, key: frame.key).header
      frames.append(frame)
      end = header.lastPosition
      frameNumber &+= 1
    }
    for attachment in attachments {
      tables.apply(TableChange(attachment.bytes, at: attachment.position))
    }
  }

  /// Adds entries to the tables, in the order of tables and keys.
  mutating func put(_ entries: [TableChange]) { tables.put(entries) }
}

// MARK: - Cutting off

extension InMemoryLedger {
  /// The last position of each commit, in order.
  package func commitEnds() throws(LedgerError) -> [Position] {
    var ends: [Position] = []
    for frame in frames {
      let header = try FrameView(checking: frame.bytes.span, key: frame.key).header
      if !header.flags.contains(.commitContinues) { ends.append(header.lastPosition) }
    }
    return ends
  }

  /// The ledger as it was after the commit that ended at a position.
  ///
  /// - Throws: `invalidArgument` if no commit ended there, or later events are in the snapshot.
  package func cut(after position: Position) throws(LedgerError) -> InMemoryLedger {
    guard try commitEnds().contains(position), try tables.summary().position <= position else {
      throw LedgerError(
        .invalidArgument, "The ledger cannot be cut off at position \(position), within a commit.")
    }
    var copy = self
    copy.frames = frames.filter { $0.key <= position.rawValue }
    copy.frameNumber -= UInt32(frames.count - copy.frames.count)
    copy.end = position
    copy.tables.removeAttachments(after: position)
    return copy
  }
}
