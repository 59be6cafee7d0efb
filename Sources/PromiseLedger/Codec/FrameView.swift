import LedgerSystem

/// A frame read in place: the bytes belong to the store and are valid only as long as the view.
package struct FrameView: ~Escapable {
  package let header: FrameHeader
  private let bytes: Span<UInt8>

  /// Checks a frame and opens it.
  ///
  /// - Parameters:
  ///   - bytes: The stored value.
  ///   - key: The key it is stored under: the position of its first event.
  /// - Throws: `corrupt` if checksum, lengths or position do not fit; `incompatibleFormat` if the
  ///   layout is newer.
  @_lifetime(copy bytes)
  package init(checking bytes: Span<UInt8>, key: UInt64) throws(LedgerError) {
    guard bytes.count >= FrameHeader.byteCount, bytes.count <= FrameHeader.maximumFrameByteCount
    else { throw Self.damaged(key, "it has \(bytes.count) bytes") }
    guard bytes.loadLittleEndian(at: 0) == Self.checksum(of: bytes, key: key) else {
      throw Self.damaged(key, "its checksum does not fit")
    }
    guard bytes.loadLittleEndian(at: 4) == FrameHeader.layout else {
      throw LedgerError(
        .incompatibleFormat,
        "The frame at position \(key) has a layout that this build does not know; update the library."
      )
    }
    header = FrameHeader(
      eventCount: Int(bytes.loadLittleEndian(UInt16.self, at: 6)),
      firstPosition: Position(rawValue: bytes.loadLittleEndian(at: 8)),
      byteCount: Int(bytes.loadLittleEndian(UInt32.self, at: 16)),
      flags: FrameHeader.Flags(rawValue: bytes.loadLittleEndian(at: 20)),
      commit: CommitID(
        session: SessionID(entityID: EntityID(loadedFrom: bytes, at: 24)),
        number: bytes.loadLittleEndian(at: 40)
      )
    )
    self.bytes = bytes
    guard header.eventCount > 0, header.byteCount == bytes.count,
      header.firstPosition.rawValue == key,
      key > 0, key <= UInt64.max - UInt64(UInt16.max)
    else { throw Self.damaged(key, "its header does not fit") }
  }

  /// Hands over every event after `position`, in order.
  ///
  /// - Throws: `corrupt` if the events do not fill the frame exactly, or what `body` throws.
  @inline(__always)
  package func forEachEvent(
    after position: Position = .start,
    _ body: (borrowing EventView) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var offset = FrameHeader.byteCount
    for index in 0..<header.eventCount {
      guard offset + EventView.headerByteCount <= bytes.count else {
        throw Self.damaged(header.firstPosition.rawValue, "an event passes its end")
      }
      let length = Int(bytes.loadLittleEndian(UInt16.self, at: offset))
      guard length >= EventView.headerByteCount, length % 8 == 0, offset + length <= bytes.count
      else { throw Self.damaged(header.firstPosition.rawValue, "an event passes its end") }
      let eventPosition = header.firstPosition.advanced(by: index)
      if eventPosition > position {
        let view = try EventView(
          bytes: bytes.extracting(offset..<(offset + length)),
          position: eventPosition,
          session: header.commit.session
        )
        try body(view)
      }
      offset += length
    }
    guard offset == bytes.count else {
      throw Self.damaged(header.firstPosition.rawValue, "bytes follow its last event")
    }
  }

  /// The checksum that a frame under `key` must carry.
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
