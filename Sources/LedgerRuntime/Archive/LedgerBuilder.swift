import LedgerBytes

/// Fills the log of a new ledger, which no process can see yet, with events at their original positions.
package struct LedgerBuilder: ~Copyable {
  /// The amount of log data to collect before it is written, in bytes.
  private static let groupByteCount = 4 << 20

  /// The number of snapshot entries to collect before they are written.
  static let groupChangeCount = 10_000

  /// The total size of the snapshot's attachments to collect before they are written, in bytes.
  static let groupAttachmentByteCount = 32 << 20

  package let construction: any LedgerConstruction

  /// The events of one commit, or of a part of one.
  private var batch = EventBatch()
  private var commit: CommitID?
  private var firstPosition = Position.start
  private var isContinuation = false
  /// The number of the next frame; the frames of a ledger that is built begin with 1.
  private var nextFrameNumber: UInt32 = 1

  /// The snapshot entries that are not written yet.
  var edit = SnapshotEdit(SnapshotSummary())
  /// The total size of the attachments in ``edit``, in bytes.
  var editAttachmentByteCount = 0

  /// The frames of the log that are not written yet.
  private var frames: [(key: UInt64, bytes: [UInt8])] = []
  private var attachments: [(position: Position, bytes: [UInt8])] = []
  private var waitingByteCount = 0

  package init(_ construction: any LedgerConstruction) {
    self.construction = construction
  }

  /// Adds the next event.
  ///
  /// - Returns: The event as it will be stored.
  package mutating func append(
    _ event: NewEvent, at position: Position, of commit: CommitID
  ) throws(LedgerError) -> StoredEvent {
    if let last = self.commit {
      let isSame = last == commit
      if !isSame || batch.byteCount >= Self.groupByteCount { pack(last, goesOn: isSame) }
      if waitingByteCount >= Self.groupByteCount { try write() }
    }
    if batch.isEmpty { firstPosition = position }
    self.commit = commit
    let start = batch.bytes.count
    try batch.append(event)
    let bytes = batch.bytes
    return StoredEvent(
      copying: EventView(
        bytes: bytes.span.extracting(start..<bytes.count), position: position,
        session: commit.session),
      of: commit)
  }

  /// Writes the remaining data.
  package mutating func finish() throws(LedgerError) {
    if let commit { pack(commit, goesOn: false) }
    commit = nil
    try write()
  }

  private mutating func pack(_ commit: CommitID, goesOn: Bool) {
    var neighbours: FrameHeader.Flags = []
    if isContinuation { neighbours.insert(.continuesCommit) }
    if goesOn { neighbours.insert(.commitContinues) }
    var frames: [(key: UInt64, bytes: [UInt8])] = []
    batch.packFrames(
      from: firstPosition, number: nextFrameNumber, commit: commit, neighbours: neighbours,
      filling: construction.frameByteCount
    ) { key, frame in
      frames.append((key, Array(copying: frame)))
    }
    nextFrameNumber &+= UInt32(truncatingIfNeeded: frames.count)
    self.frames += frames
    for attachment in batch.attachments {
      attachments.append((firstPosition.advanced(by: attachment.index), attachment.bytes))
    }
    waitingByteCount += batch.byteCount
    batch = EventBatch()
    isContinuation = goesOn
  }

  private mutating func write() throws(LedgerError) {
    guard !frames.isEmpty || !attachments.isEmpty else { return }
    try construction.append(frames, attachments: attachments)
    self.frames = []
    self.attachments = []
    waitingByteCount = 0
  }
}
