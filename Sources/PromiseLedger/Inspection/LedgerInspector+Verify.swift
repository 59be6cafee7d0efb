import LedgerLMDB
import LedgerSystem

extension LedgerInspector {
  /// Checks everything that can be checked: every record of the log with its checksum, that no event
  /// is missing, that commits are whole, that payloads can be read, that promises and sessions lived
  /// by the rules, that what an event refers to is there, and that every value stored beside an
  /// event is whole.
  ///
  /// It goes on after damage as far as it can; only what depends on lost events is not checked then.
  ///
  /// - Parameters:
  ///   - progress: Called now and then with the position reached.
  ///   - report: Gets every finding, in the order of positions.
  /// - Throws: ``LedgerError`` if the ledger cannot be read for another reason than damage, and
  ///   what `report` throws.
  /// - Complexity: O(events) in time, O(promises) in memory.
  public func verify(
    progress: (Position) -> Void = { _ in }, _ report: (VerificationFinding) throws -> Void
  ) throws -> VerificationSummary {
    var verification = Verification(self)
    do {
      while try verification.checkSlice() {
        for finding in verification.takeFindings() { try report(finding) }
        progress(verification.position)
      }
    } catch let error as LedgerError where error.code == .corrupt {
      verification.end(error)
    }
    for finding in verification.takeFindings() { try report(finding) }
    return verification.summary
  }
}

/// A verification that goes through the log slice by slice, each in one read transaction.
private struct Verification {
  private static let sliceFrameCount = 256

  private let inspector: LedgerInspector
  private var checks: FrameChecks
  private var findings: [VerificationFinding] = []
  private var digest: LogDigest? = .start
  /// The key of the last frame, whole or damaged.
  private var lastKey: UInt64 = 0
  /// The last event that was read, or `nil` after a damaged frame, whose end nobody knows.
  private var lastPosition: Position? = .start
  private var visitedFrameCount = 0
  private var visitedChunkCount = 0
  private(set) var summary = VerificationSummary()

  init(_ inspector: LedgerInspector) {
    self.inspector = inspector
    checks = FrameChecks(ledgerID: inspector.id)
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

  /// Ends the verification at damage of the store itself.
  mutating func end(_ error: LedgerError) {
    digest = nil
    add("The log cannot be read on: \(error.message)", at: Position(rawValue: lastKey))
  }

  /// Checks some frames, and what is stored beside their events.
  ///
  /// - Returns: Whether there may be more.
  mutating func checkSlice() throws(LedgerError) -> Bool {
    let isEnd = try inspector.readingEnvironment { (environment) throws(LedgerError) in
      try LedgerError.mapping { try checkSlice(of: environment) }
    }
    guard isEnd else { return true }
    checks.finish()
    findings += checks.takeFindings()
    summary.logDigest = digest
    return false
  }

  private mutating func checkSlice(of environment: Environment) throws -> Bool {
    let (log, blob) = (try environment.table(named: "log"), try environment.table(named: "blob"))
    return try environment.read { transaction in
      var count = 0
      try transaction.scan(log, from: lastKey + 1, limit: Self.sliceFrameCount) { key, bytes in
        count += 1
        guard key > lastKey else {
          throw LedgerError(.corrupt, "Its keys are not in order after \(lastKey).")
        }
        if try transaction.value(forKey: key, in: log)?.count != bytes.count {
          add("The frame of events cannot be found by its position.", at: Position(rawValue: key))
        }
        try check(bytes, key: key, transaction, blob)
        return true
      }
      if count < Self.sliceFrameCount { try checkEnd(transaction, log, blob) }
      return count < Self.sliceFrameCount
    }
  }

  /// Looks whether the tables hold more than what was found by walking through them.
  private mutating func checkEnd(
    _ transaction: borrowing ReadTransaction, _ log: Table, _ blob: Table
  ) throws {
    if let lastPosition {
      try checkChunks(
        transaction, blob, from: lastPosition.advanced(by: 1), through: .last, owners: [:])
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
    _ bytes: Span<UInt8>, key: UInt64, _ transaction: borrowing ReadTransaction, _ blob: Table
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
    checks.check(frame)
    findings += checks.takeFindings()
    try checkAttachments(of: frame, transaction, blob)
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
    of frame: FrameView, _ transaction: borrowing ReadTransaction, _ blob: Table
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
        owners[event.position] = Chunk.count(ofAttachment: byteCount)
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
    }
    try checkChunks(
      transaction, blob, from: frame.header.firstPosition, through: frame.header.lastPosition,
      owners: owners)
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
    _ transaction: borrowing ReadTransaction, _ blob: Table, from first: Position,
    through last: Position, owners: [Position: Int]
  ) throws {
    let start = Chunk.key(first, 0)
    var previous: [UInt8] = []
    try transaction.scan(blob, fromKey: start.span) { key, _ in
      var bytes: [UInt8] = []
      bytes.append(contentsOf: key)
      guard previous.lexicographicallyPrecedes(bytes) else {
        throw LedgerError(.corrupt, "The keys of large values are not in order.")
      }
      previous = bytes
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
