import LedgerBytes

/// An event read in place: the envelope is decoded on demand, and the payload is a span.
package struct EventView: ~Escapable {
  /// The size of an event's envelope in bytes.
  package static var headerByteCount: Int { 48 }

  private let bytes: Span<UInt8>
  package let position: Position
  package let session: SessionID

  /// Opens an event whose lengths were checked before.
  @inline(__always)
  @_lifetime(copy bytes)
  package init(bytes: Span<UInt8>, position: Position, session: SessionID) {
    self.bytes = bytes
    self.position = position
    self.session = session
  }

  package var kind: EventKind { EventKind(rawValue: bytes.loadLittleEndian(at: 2)) }
  package var version: UInt16 { bytes.loadLittleEndian(at: 4) }
  package var payloadByteCount: Int { Int(bytes.loadLittleEndian(UInt16.self, at: 6)) }
  package var attachmentByteCount: Int { Int(bytes.loadLittleEndian(UInt32.self, at: 8)) }
  /// Reserved; 0 in every event that this build writes.
  package var flags: UInt32 { bytes.loadLittleEndian(at: 12) }
  package var time: Timestamp {
    Timestamp(nanosecondsSinceEpoch: bytes.loadLittleEndian(at: 16))
  }
  package var cause: Position { Position(rawValue: bytes.loadLittleEndian(at: 24)) }
  package var subject: EntityID { EntityID(loadedFrom: bytes, at: 32) }

  /// The whole event as stored, with its padding and without its attachment.
  package var record: Span<UInt8> {
    @_lifetime(copy self)
    get { bytes }
  }

  /// The payload without padding.
  package var payload: Span<UInt8> {
    @_lifetime(copy self)
    get {
      bytes.extracting(Self.headerByteCount..<(Self.headerByteCount + payloadByteCount))
    }
  }

  /// A copy of the payload.
  package var payloadBytes: [UInt8] { Array(copying: payload) }
}
