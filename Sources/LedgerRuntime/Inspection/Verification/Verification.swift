/// A verification of the whole log in one view of the tables.
struct Verification {
  private static let sliceFrameCount = 256

  private let tables: any SnapshotTables
  private let findings: Findings
  private var audit: any AttachmentAudit
  private var checks: FrameChecks
  private var digest: LogDigest?
  /// The log digest that the snapshot states, with its position.
  private let snapshotDigest: LogDigest
  /// The attachments of deleted events.
  private let ownedAttachments: [SnapshotChecks.OwnedAttachment]
  /// The key of the last frame, whole or damaged.
  private var lastKey: UInt64
  /// The last event that was read, or `nil` after a damaged frame, whose end is unknown.
  private var lastPosition: Position?
  private var pulse = Pulse()
  private var visitedFrameCount = 0
  /// Whether the log cannot be read any further.
  private var isAtDamage = false
  private(set) var summary = VerificationSummary()

  /// Continues where the checks on the snapshot ended.
  init(
    _ id: LedgerID, _ snapshot: SnapshotChecks, _ tables: any SnapshotTables, _ findings: Findings
  ) {
    self.tables = tables
    self.findings = findings
    audit = tables.auditOfAttachments()
    ownedAttachments = snapshot.attachments
    digest = snapshot.summary.deletedLog
    snapshotDigest = snapshot.summary.logDigest
    lastKey = snapshot.summary.deletedThrough.rawValue
    lastPosition = snapshot.summary.deletedThrough
    checks = FrameChecks(ledgerID: id, ReplayChecks(snapshot, findings), findings)
    summary.recordCount = snapshot.recordCount
  }

  var position: Position { Position(rawValue: lastKey) }

  /// Checks everything.
  ///
  /// - Parameters:
  ///   - tick: Called periodically.
  ///   - pause: Called periodically with the position reached, to report the findings.
  mutating func run(_ tick: () -> Void, _ pause: (Position) throws -> Void) throws {
    try endingAtDamage { (verification) throws(LedgerError) in
      try verification.checkOwnedAttachments(tick)
      verification.compareDigest()
      return true
    }
    while try endingAtDamage({ (verification) throws(LedgerError) in
      try verification.checkSlice(tick)
    }) {
      try pause(position)
    }
    if !isAtDamage { finish() }
    summary.checkedThrough = checks.replayedPosition
    try pause(position)
  }

  /// Continues the verification, unless the log cannot be read any further.
  ///
  /// - Returns: Whether there may be more.
  @discardableResult
  private mutating func endingAtDamage(
    _ check: (inout Verification) throws(LedgerError) -> Bool
  ) throws(LedgerError) -> Bool {
    guard !isAtDamage else { return false }
    do throws(LedgerError) {
      return try check(&self)
    } catch {
      guard error.code == .corrupt else { throw error }
      add("The rest of the log cannot be read: \(error.message)", at: position)
      isAtDamage = true
      return false
    }
  }

  private mutating func finish() {
    if let lastPosition, lastPosition < snapshotDigest.position {
      add("The snapshot comes after the last event.", at: snapshotDigest.position)
    }
    checks.finish()
    summary.logDigest = digest
  }

  /// Checks some frames, and the attachments of their events.
  ///
  /// - Returns: Whether there may be more.
  private mutating func checkSlice(_ tick: () -> Void) throws(LedgerError) -> Bool {
    let entries = try tables.entries(
      of: .log, after: position.bigEndianBytes, limit: Self.sliceFrameCount)
    guard !entries.isEmpty else {
      try checkEnd(tick)
      return false
    }
    let found = try tables.lookingUp(entries.map(\.key)) { (keys) throws(LedgerError) in
      try tables.values(forKeys: keys, in: .log).map { .success($0?.count) }
    }
    try checks.expect(entries)
    for ((keyBytes, bytes), byteCount) in zip(entries, found) {
      let key = Position(bigEndianBytes: keyBytes)
      if try byteCount.get() != bytes.count {
        add("The frame of events cannot be found by its position.", at: key)
      }
      try check(bytes, at: key, tick)
    }
    return true
  }

  /// Checks whether the tables hold entries that the walk did not find.
  private mutating func checkEnd(_ tick: () -> Void) throws(LedgerError) {
    if let lastPosition {
      try check(tick, from: lastPosition.advanced(by: 1), through: .last, [:])
    }
    let frameCount = try tables.entryCount(of: .log)
    if frameCount != visitedFrameCount {
      add(
        "The table log should hold \(frameCount) records, but \(visitedFrameCount) can be reached.",
        at: nil)
      if frameCount > visitedFrameCount { digest = nil }
    }
    // After a damaged frame, its attachments were not read.
    guard checks.isWhole else { return }
    let hasMore = try audit.checkCount { add($0, at: nil) }
    if hasMore { digest = nil }
  }

  // MARK: Frames

  private mutating func check(
    _ bytes: [UInt8], at position: Position, _ tick: () -> Void
  ) throws(LedgerError) {
    defer { lastKey = position.rawValue }
    visitedFrameCount += 1
    let frame: FrameView
    do throws(LedgerError) {
      frame = try FrameView(checking: bytes.span, key: position.rawValue)
    } catch {
      if let lastPosition, lastPosition.advanced(by: 1) != position {
        addMissing(from: lastPosition, to: position)
      }
      findings.add(error, at: position)
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
    try checkAttachments(of: frame, tick)
    summary.frameCount += 1
    summary.eventCount += frame.header.eventCount
    lastPosition = last
  }

  private mutating func addMissing(from last: Position, to next: Position) {
    if next <= last {
      add(
        "The frame of events overlaps the one before it, which ends at position \(last).", at: next)
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
    of frame: FrameView, _ tick: () -> Void
  ) throws(LedgerError) {
    var events: [StoredEvent] = []
    try frame.forEachEvent { event in
      events.append(StoredEvent(copying: event, of: frame.header.commit))
    }
    var byteCounts: [Position: Int] = [:]
    var queue = AttachmentQueue(events.compactMap { AttachmentReference($0.view) })
    for event in events {
      var attachment: [UInt8] = []
      let byteCount = event.view.attachmentByteCount
      if byteCount > 0 {
        byteCounts[event.position] = byteCount
        pulse.beat(tick, steps: Self.stepCount(ofAttachment: byteCount))
        let found = try queue.next(tables.attachments)
        do throws(LedgerError) {
          attachment = try found.get()
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
    try check(
      tick, from: frame.header.firstPosition, through: frame.header.lastPosition, byteCounts)
  }

  private mutating func compareDigest() {
    guard let digest, digest.position == snapshotDigest.position, digest != snapshotDigest
    else { return }
    add("The log digest of the snapshot does not match the events.", at: digest.position)
  }

  /// Checks the attachments that records of deleted events own.
  private mutating func checkOwnedAttachments(_ tick: () -> Void) throws(LedgerError) {
    var byteCounts: [Position: Int] = [:]
    var queue = AttachmentQueue(ownedAttachments.map(\.reference))
    for owned in ownedAttachments {
      let attachment = owned.reference
      byteCounts[attachment.position] = attachment.byteCount
      pulse.beat(tick, steps: Self.stepCount(ofAttachment: attachment.byteCount))
      let found = try queue.next(tables.attachments)
      do throws(LedgerError) {
        let content = try found.get()
        try owned.kind?.check(content)
        summary.attachmentCount += 1
      } catch {
        add(error.message, at: attachment.position, subject: owned.owner)
      }
    }
    guard let lastPosition else { return }
    try check(tick, from: Position(rawValue: 1), through: lastPosition, byteCounts)
  }

  /// Checks that what is stored beside its event can be decoded, but for values.
  private func checkContent(
    _ content: [UInt8], of event: StoredEvent
  ) throws(LedgerError) {
    let view = event.view
    guard let type = view.kind.payload, view.version > 0, view.version <= type.newestVersion,
      let payload = (try? type.init(decoding: view.payloadBytes)) as? any AttachablePayload,
      payload.isDetached
    else { return }
    try payload.check(content)
  }

  /// Looks for attachments, and pieces of attachments, that belong to no event.
  private mutating func check(
    _ tick: () -> Void, from first: Position, through last: Position,
    _ byteCounts: [Position: Int]
  ) throws(LedgerError) {
    var pulse = pulse
    defer { self.pulse = pulse }
    let findings = findings
    try audit.check(from: first, through: last, byteCounts) {
      pulse.beat(tick)
    } report: { (message, position) in
      findings.add(message, at: position)
    }
  }

  /// The number of steps to read an attachment, each about the size of one record.
  private static func stepCount(ofAttachment byteCount: Int) -> Int {
    1 + byteCount / FrameHeader.maximumFrameByteCount
  }

  private mutating func add(_ message: String, at position: Position?, subject: EntityID? = nil) {
    findings.add(message, at: position, subject: subject)
  }
}

extension Position {
  /// No event is ever stored at this position.
  fileprivate static let last = Position(rawValue: .max)
}
