import LedgerBytes
import LedgerLMDB
import LedgerSystem

/// A verification that goes through the log in one read transaction.
struct Verification {
  private static let sliceFrameCount = 256

  private let log: Table
  private let blob: Table
  private var checks: FrameChecks
  private var findings: [VerificationFinding]
  private var digest: LogDigest?
  /// The log digest that the snapshot says, and where.
  private let snapshotDigest: LogDigest
  /// What stands beside events that were deleted.
  private let ownedAttachments: [(owner: EntityID, attachment: AttachmentReference)]
  /// The key of the last frame, whole or damaged.
  private var lastKey: UInt64
  /// The last event that was read, or `nil` after a damaged frame, whose end nobody knows.
  private var lastPosition: Position?
  private var pulse = Pulse()
  private var visitedFrameCount = 0
  private var visitedChunkCount = 0
  private(set) var summary = VerificationSummary()

  /// Goes on where the checks on the snapshot ended.
  init(_ id: LedgerID, _ snapshot: inout SnapshotChecks, _ log: Table, _ blob: Table) {
    self.log = log
    self.blob = blob
    findings = snapshot.takeFindings()
    ownedAttachments = snapshot.attachments
    digest = snapshot.summary.deletedLog
    snapshotDigest = snapshot.summary.logDigest
    lastKey = snapshot.summary.deletedThrough.rawValue
    lastPosition = snapshot.summary.deletedThrough
    checks = FrameChecks(ledgerID: id, ReplayChecks(snapshot))
    summary.recordCount = snapshot.recordCount
  }

  var position: Position { Position(rawValue: lastKey) }

  mutating func takeFindings() -> [VerificationFinding] {
    defer { findings = [] }
    for finding in findings {
      switch finding.severity {
      case .corrupt: summary.corruptCount += 1
      case .unsupported: summary.unsupportedCount += 1
      }
    }
    summary.checkedThrough = checks.replayedPosition
    return findings
  }

  /// Checks everything.
  ///
  /// - Parameters:
  ///   - tick: Called now and then.
  ///   - pause: Called now and then, to take the findings.
  mutating func run(
    _ transaction: borrowing ReadTransaction, _ tick: () -> Void,
    _ pause: (inout Verification) throws -> Void
  ) throws {
    do {
      try checkOwnedAttachments(transaction, tick)
      compareDigest()
      while try checkSlice(transaction, tick) { try pause(&self) }
      if let lastPosition, lastPosition < snapshotDigest.position {
        add("The snapshot is further on than the last event.", at: snapshotDigest.position)
      }
      checks.finish()
      findings += checks.takeFindings()
      summary.logDigest = digest
    } catch {
      guard let damage = LedgerError(damageIn: error) else { throw error }
      add("The log cannot be read on: \(damage.message)", at: Position(rawValue: lastKey))
    }
    try pause(&self)
  }

  /// Checks some frames, and what is stored beside their events.
  ///
  /// - Returns: Whether there may be more.
  private mutating func checkSlice(
    _ transaction: borrowing ReadTransaction, _ tick: () -> Void
  ) throws -> Bool {
    var count = 0
    try transaction.scan(log, from: lastKey &+ 1, limit: Self.sliceFrameCount) { key, bytes in
      count += 1
      guard key > lastKey else {
        throw LedgerError(.corrupt, "Its keys are not in order after \(lastKey).")
      }
      if try transaction.value(forKey: key, in: log)?.count != bytes.count {
        add("The frame of events cannot be found by its position.", at: Position(rawValue: key))
      }
      try check(bytes, key: key, transaction, tick)
      return true
    }
    if count < Self.sliceFrameCount { try checkEnd(transaction, tick) }
    return count == Self.sliceFrameCount
  }

  /// Looks whether the tables hold more than what was found by walking through them.
  private mutating func checkEnd(
    _ transaction: borrowing ReadTransaction, _ tick: () -> Void
  ) throws {
    if let lastPosition {
      try checkChunks(
        transaction, tick, from: lastPosition.advanced(by: 1), through: .last, owners: [:])
    }
    for (table, visitedCount) in [(log, visitedFrameCount), (blob, visitedChunkCount)] {
      let count = try transaction.count(of: table)
      // After a damaged frame its chunks were not looked for.
      guard count != visitedCount, table.name == log.name || checks.isWhole else { continue }
      add(
        "The table \(table.name) should hold \(count) records, and \(visitedCount) can be reached.",
        at: nil)
      if count > visitedCount { digest = nil }
    }
  }

  // MARK: Frames

  private mutating func check(
    _ bytes: Span<UInt8>, key: UInt64, _ transaction: borrowing ReadTransaction, _ tick: () -> Void
  ) throws {
    let position = Position(rawValue: key)
    defer { lastKey = key }
    visitedFrameCount += 1
    let frame: FrameView
    do throws(LedgerError) {
      frame = try FrameView(checking: bytes, key: key)
    } catch {
      if let lastPosition, lastPosition.advanced(by: 1) != position {
        addMissing(from: lastPosition, to: position)
      }
      findings.append(
        VerificationFinding(
          error.message, at: position,
          severity: error.code == .corrupt ? .corrupt : .unsupported))
      lastPosition = nil
      loseEvents()
      return
    }
    if let lastPosition, lastPosition.advanced(by: 1) != position {
      addMissing(from: lastPosition, to: position)
      loseEvents()
    }
    let last = frame.header.lastPosition
    checks.check(frame, tick)
    findings += checks.takeFindings()
    try checkAttachments(of: frame, transaction, tick)
    summary.frameCount += 1
    summary.eventCount += frame.header.eventCount
    lastPosition = last
  }

  private mutating func addMissing(from last: Position, to next: Position) {
    if next <= last {
      add("The frame of events overlaps the one before, which ends at position \(last).", at: next)
    } else {
      add(
        "Events are missing: after position \(last) the next frame begins at \(next).",
        at: last.advanced(by: 1))
    }
  }

  private mutating func loseEvents() {
    checks.loseEvents()
    digest = nil
  }

  // MARK: Attachments

  private mutating func checkAttachments(
    of frame: FrameView, _ transaction: borrowing ReadTransaction, _ tick: () -> Void
  ) throws {
    var events: [StoredEvent] = []
    try frame.forEachEvent { event in
      events.append(StoredEvent(copying: event, of: frame.header.commit))
    }
    var owners: [Position: Int] = [:]
    for event in events {
      var attachment: [UInt8] = []
      let byteCount = event.view.attachmentByteCount
      if byteCount > 0 {
        let chunkCount = Chunk.count(ofAttachment: byteCount)
        owners[event.position] = chunkCount
        pulse.beat(tick, steps: chunkCount)
        do throws(LedgerError) {
          attachment = try LMDBLog.attachment(transaction, blob, of: event.position, byteCount)
          try checkContent(attachment, of: event)
          summary.attachmentCount += 1
        } catch {
          digest = nil
          add(error.message, at: event.position, subject: event.view.subject)
        }
      }
      digest = digest.map { $0.adding(event, attachment: attachment) }
      compareDigest()
    }
    try checkChunks(
      transaction, tick, from: frame.header.firstPosition, through: frame.header.lastPosition,
      owners: owners)
  }

  private mutating func compareDigest() {
    guard let digest, digest.position == snapshotDigest.position, digest != snapshotDigest
    else { return }
    add("The log digest of the snapshot is not that of the events.", at: digest.position)
  }

  /// Checks what records own whose events were deleted.
  private mutating func checkOwnedAttachments(
    _ transaction: borrowing ReadTransaction, _ tick: () -> Void
  ) throws {
    var owners: [Position: Int] = [:]
    for (owner, attachment) in ownedAttachments {
      let chunkCount = Chunk.count(ofAttachment: attachment.byteCount)
      owners[attachment.position] = chunkCount
      pulse.beat(tick, steps: chunkCount)
      do throws(LedgerError) {
        _ = try LMDBLog.attachment(
          transaction, blob, of: attachment.position, attachment.byteCount)
        summary.attachmentCount += 1
      } catch {
        add(error.message, at: attachment.position, subject: owner)
      }
    }
    guard let lastPosition else { return }
    try checkChunks(
      transaction, tick, from: Position(rawValue: 1), through: lastPosition, owners: owners)
  }

  /// An error that was stored beside its event must be one.
  private func checkContent(
    _ content: [UInt8], of event: StoredEvent
  ) throws(LedgerError) {
    let view = event.view
    guard view.kind == .promiseResolved, view.version == PromiseResolved.version,
      PromiseResolved.isWellFormed(view.payloadBytes),
      PromiseResolved.outcome(ofEncoded: view.payloadBytes) == .rejected
    else { return }
    _ = try StoredError(decoding: content)
  }

  /// Looks for chunks that belong to no event.
  private mutating func checkChunks(
    _ transaction: borrowing ReadTransaction, _ tick: () -> Void, from first: Position,
    through last: Position, owners: [Position: Int]
  ) throws {
    let start = Chunk.key(first, 0)
    var previous: [UInt8] = []
    try transaction.scan(blob, fromKey: start.span) { key, _ in
      let bytes = Array(copying: key)
      guard previous.lexicographicallyPrecedes(bytes) else {
        throw LedgerError(.corrupt, "The keys of large values are not in order.")
      }
      previous = bytes
      pulse.beat(tick)
      guard let (position, number) = Chunk.place(ofKey: bytes) else {
        add("A record of the table blob has the key \(bytes.hexadecimal), which is none.", at: nil)
        return true
      }
      guard position <= last else { return false }
      visitedChunkCount += 1
      if number >= owners[position, default: 0] {
        add("Chunk \(number) of a large value belongs to no event.", at: position)
      }
      return true
    }
  }

  private mutating func add(_ message: String, at position: Position?, subject: EntityID? = nil) {
    findings.append(VerificationFinding(message, at: position, subject: subject))
  }
}

extension Position {
  /// No event ever stands there.
  fileprivate static let last = Position(rawValue: .max)
}

extension LedgerError {
  /// The damage that an error of reading is about; `nil` for other errors.
  fileprivate init?(damageIn error: any Error) {
    guard error is LedgerError || error is LMDBError else { return nil }
    let mapped = LedgerError.mapping(error)
    guard mapped.code == .corrupt else { return nil }
    self = mapped
  }
}
