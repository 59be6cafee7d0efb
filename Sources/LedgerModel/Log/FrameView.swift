import LedgerBytes

/// A frame read in place: the bytes belong to the store and are valid only as long as the view.
public struct FrameView: ~Escapable, Sendable {
  /// The fixed part of the frame.
  public let header: FrameHeader
  private let bytes: Span<UInt8>

  /// Checks a frame and opens it.
  ///
  /// - Parameters:
  ///   - bytes: The stored value.
  ///   - key: The key under which the frame is stored: the position of its first event.
  /// - Throws: `corrupt` if the checksum, a length or the position does not match; `incompatibleFormat` if
  ///   the layout is newer.
  @_lifetime(copy bytes)
  public init(checking bytes: Span<UInt8>, key: UInt64) throws(LedgerError) {
    guard bytes.count >= FrameHeader.byteCount, bytes.count <= FrameHeader.maximumFrameByteCount
    else { throw Self.damaged(key, "it has \(bytes.count) bytes") }
    guard bytes.loadLittleEndian(at: 0) == Self.checksum(of: bytes, key: key) else {
      throw Self.damaged(key, "its checksum does not match")
    }
    guard bytes.loadLittleEndian(at: 4) == FrameHeader.layout else {
      throw LedgerError(
        .incompatibleFormat,
        "The frame at position \(key) has a layout that this build does not know. Update the library."
      )
    }
    header = FrameHeader(of: bytes)
    self.bytes = bytes
    guard header.eventCount > 0, header.byteCount == bytes.count,
      header.firstPosition.rawValue == key,
      key > 0, key <= UInt64.max - UInt64(UInt16.max)
    else { throw Self.damaged(key, "its header is invalid") }
    guard Self.holds(header.eventCount, bytes) else {
      throw Self.damaged(key, "its events do not match its length")
    }
  }

  /// Opens a copy of a frame that was checked before.
  @_lifetime(copy bytes)
  init(checked bytes: Span<UInt8>) {
    header = FrameHeader(of: bytes)
    self.bytes = bytes
  }

  /// Appends the bytes of the frame to a buffer.
  func append(to buffer: inout [UInt8]) {
    buffer.append(contentsOf: bytes)
  }

  /// Whether the events, with their payloads, fill the frame exactly.
  @inline(__always)
  private static func holds(_ eventCount: Int, _ bytes: borrowing Span<UInt8>) -> Bool {
    var offset = FrameHeader.byteCount
    for _ in 0..<eventCount {
      guard offset + EventView.headerByteCount <= bytes.count else { return false }
      let length = Int(bytes.loadLittleEndian(UInt16.self, at: offset))
      let payload = Int(bytes.loadLittleEndian(UInt16.self, at: offset + 6))
      guard length % 8 == 0, length >= EventView.headerByteCount + payload,
        offset + length <= bytes.count
      else { return false }
      offset += length
    }
    return offset == bytes.count
  }

  /// Passes every event after `position` to a closure, in order.
  ///
  /// - Throws: Any error that `body` throws.
  @inline(__always)
  package func forEachEvent(
    after position: Position = .start,
    _ body: (borrowing EventView) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var offset = FrameHeader.byteCount
    var eventPosition = header.firstPosition
    while offset < bytes.count {
      let length = Int(bytes.loadLittleEndian(UInt16.self, at: offset))
      if eventPosition > position {
        try body(
          EventView(
            bytes: bytes.extracting(offset..<(offset + length)), position: eventPosition,
            session: header.commit.session))
      }
      offset += length
      eventPosition = eventPosition.advanced(by: 1)
    }
  }

  /// The checksum that a frame under `key` must have.
  @inline(__always)
  package static func checksum(of bytes: borrowing Span<UInt8>, key: UInt64) -> UInt32 {
    CRC32C.checksum(key: key, bytes.extracting(4..<bytes.count))
  }

  private static func damaged(_ key: UInt64, _ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The frame of events at position \(key) is damaged: \(what). Restore the ledger from a copy."
    )
  }
}

extension FrameHeader {
  /// - Precondition: There are as many bytes as in a header.
  @inline(__always)
  fileprivate init(of bytes: borrowing Span<UInt8>) {
    self.init(
      eventCount: Int(bytes.loadLittleEndian(UInt16.self, at: 6)),
      firstPosition: Position(rawValue: bytes.loadLittleEndian(at: 8)),
      byteCount: Int(bytes.loadLittleEndian(UInt16.self, at: 16)),
      flags: FrameHeader.Flags(rawValue: bytes.loadLittleEndian(at: 18)),
      number: bytes.loadLittleEndian(at: 20),
      commit: CommitID(
        session: SessionID(entityID: EntityID(loadedFrom: bytes, at: 24)),
        number: bytes.loadLittleEndian(at: 40)))
  }
}
