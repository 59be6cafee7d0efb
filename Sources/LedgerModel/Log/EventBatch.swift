import LedgerBytes

/// The encoded events of one commit, not yet with positions.
public struct EventBatch: Sendable {
  /// The maximum payload of an event, in bytes; larger content becomes an attachment.
  package static let maximumPayloadByteCount =
    FrameHeader.maximumFrameByteCount - FrameHeader.byteCount - EventView.headerByteCount

  /// The size in bytes of the events at which a group of commands accepts no more commands.
  package static let largestGroupByteCount = 256 << 10

  /// The concatenated events, each padded to a multiple of 8 bytes.
  package private(set) var bytes: [UInt8] = []
  /// The end of each event in ``bytes``.
  package private(set) var ends: [Int] = []
  /// The attachments with the index of their event, in order.
  public private(set) var attachments: [(index: Int, bytes: [UInt8])] = []
  /// The size of all attachments, in bytes.
  public private(set) var attachmentByteCount = 0
  /// Whether the session must look for the next deadline after the commit: a promise with one may be created, or a
  /// deadline has passed.
  public private(set) var needsDeadlineCheck = false

  package init() {}

  /// The number of events.
  public var count: Int { ends.count }
  /// Whether there is no event.
  public var isEmpty: Bool { ends.isEmpty }
  /// The size of the events and their attachments, in bytes.
  public var byteCount: Int { bytes.count + attachmentByteCount }

  /// Appends an event.
  ///
  /// - Throws: `payloadTooLarge` if the payload does not fit into a frame.
  package mutating func append(_ event: NewEvent) throws(LedgerError) {
    guard event.payload.count <= Self.maximumPayloadByteCount,
      let attachmentLength = UInt32(exactly: event.attachment.count)
    else {
      throw LedgerError(
        .payloadTooLarge,
        "The payload of a \(event.kind) event is too large for a frame. Store large values elsewhere."
      )
    }
    let length = event.recordByteCount
    // The fields of the envelope 16 bytes at a time, the first one in the lowest bits.
    var first = UInt64(UInt16(length))
    first |= UInt64(event.kind.rawValue) << 16
    first |= UInt64(event.version) << 32
    first |= UInt64(UInt16(event.payload.count)) << 48
    let second = UInt64(attachmentLength) | UInt64(event.flags) << 32
    bytes.appendLittleEndian(SIMD2(first, second))
    bytes.appendLittleEndian(
      SIMD2(UInt64(bitPattern: event.time.nanosecondsSinceEpoch), event.cause.rawValue))
    event.subject.append(to: &bytes)
    bytes.append(contentsOf: event.payload)
    let end = (ends.last ?? 0) + length
    bytes.append(contentsOf: repeatElement(0, count: end - bytes.count))
    if event.kind == .promiseCreated, PromiseCreated.deadline(ofEncoded: event.payload) != nil {
      noteDeadline()
    }
    if !event.attachment.isEmpty {
      attachments.append((index: ends.count, bytes: event.attachment))
      attachmentByteCount += event.attachment.count
    }
    ends.append(end)
  }

  /// Notes that the session must look for the next deadline.
  package mutating func noteDeadline() { needsDeadlineCheck = true }

  /// Drops all events from `count` on: a command that failed partway leaves none.
  package mutating func truncate(toCount count: Int) {
    guard count < ends.count else { return }
    ends.removeSubrange(count...)
    bytes.removeSubrange((ends.last ?? 0)...)
    attachments.removeAll { $0.index >= count }
    attachmentByteCount = attachments.reduce(0) { $0 + $1.bytes.count }
  }
}

/// An event that has no position yet.
package struct NewEvent: Sendable {
  package var kind: EventKind
  package var version: UInt16
  /// Reserved; an imported event keeps its flags.
  package var flags: UInt32
  package var time: Timestamp
  package var subject: EntityID
  package var cause: Position
  package var payload: [UInt8]
  package var attachment: [UInt8]

  package init(
    kind: EventKind, version: UInt16, flags: UInt32 = 0, time: Timestamp, subject: EntityID,
    cause: Position = .start, payload: [UInt8], attachment: [UInt8] = []
  ) {
    self.kind = kind
    self.version = version
    self.flags = flags
    self.time = time
    self.subject = subject
    self.cause = cause
    self.payload = payload
    self.attachment = attachment
  }

  /// The size of the event without its attachment, padded, in bytes.
  package var recordByteCount: Int { (EventView.headerByteCount + payload.count + 7) & ~7 }

  /// The size of the event with its attachment, in bytes.
  package var byteCount: Int { recordByteCount + attachment.count }
}

extension EventBatch {
  /// Packs the events into frames and passes each frame, with its key, to a closure.
  ///
  /// - Parameters:
  ///   - position: The position of the first event.
  ///   - number: The number of the first frame.
  ///   - commit: The commit that the frames belong to.
  ///   - neighbours: Whether the commit has frames before and after these, if they are only a part of it.
  ///   - frameByteCount: The size in bytes up to which events are added to a frame; a frame with a single
  ///     event may be larger.
  public func packFrames<Failure: Error>(
    from position: Position,
    number: UInt32,
    commit: CommitID,
    neighbours: FrameHeader.Flags = [],
    filling frameByteCount: Int = FrameHeader.maximumFrameByteCount,
    _ body: (_ key: UInt64, _ frame: borrowing Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    precondition(frameByteCount <= FrameHeader.maximumFrameByteCount, "the frame size is too large")
    var frame: [UInt8] = []
    frame.reserveCapacity(FrameHeader.maximumFrameByteCount)
    var first = 0
    var number = number
    while first < count {
      let start = first == 0 ? 0 : ends[first - 1]
      let limit = start + frameByteCount - FrameHeader.byteCount
      var next = first + 1
      while next < count, ends[next] <= limit { next += 1 }
      var flags: FrameHeader.Flags = []
      if first > 0 || neighbours.contains(.continuesCommit) { flags.insert(.continuesCommit) }
      if next < count || neighbours.contains(.commitContinues) { flags.insert(.commitContinues) }
      let header = FrameHeader(
        eventCount: next - first,
        firstPosition: position.advanced(by: first),
        byteCount: FrameHeader.byteCount + ends[next - 1] - start,
        flags: flags,
        number: number,
        commit: commit
      )
      frame.removeAll(keepingCapacity: true)
      header.append(to: &frame)
      frame.append(contentsOf: bytes.span.extracting(start..<ends[next - 1]))
      let key = header.firstPosition.rawValue
      frame.storeLittleEndian(FrameView.checksum(of: frame.span, key: key), at: 0)
      try body(key, frame.span)
      first = next
      number &+= 1
    }
  }
}

extension FrameHeader {
  /// Appends the header, with a checksum of 0.
  fileprivate func append(to frame: inout [UInt8]) {
    frame.appendLittleEndian(UInt32(0))
    frame.appendLittleEndian(Self.layout)
    frame.appendLittleEndian(UInt16(eventCount))
    frame.appendLittleEndian(firstPosition.rawValue)
    frame.appendLittleEndian(UInt16(byteCount))
    frame.appendLittleEndian(flags.rawValue)
    frame.appendLittleEndian(number)
    commit.session.entityID.append(to: &frame)
    frame.appendLittleEndian(commit.number)
  }
}
