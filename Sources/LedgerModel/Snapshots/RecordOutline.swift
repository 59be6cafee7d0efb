import LedgerBytes

/// What a record of a later layout says about itself, so that every build can keep it, move it and let
/// go of it.
package struct RecordOutline: Sendable, Hashable {
  /// Whether its id can be computed again, so that its removal leaves a tombstone.
  package let isKeyed: Bool
  /// The position of its newest event.
  package let lastPosition: Position
  /// The time of its newest event.
  package let lastTime: Timestamp
  /// The large values that it owns, in the order of positions.
  package let attachments: [AttachmentReference]
  /// Its entries in all lists, in the order of keys.
  package let entries: [OpenEntry]

  package init(
    isKeyed: Bool, lastPosition: Position, lastTime: Timestamp,
    attachments: [AttachmentReference], entries: [OpenEntry]
  ) {
    self.isKeyed = isKeyed
    self.lastPosition = lastPosition
    self.lastTime = lastTime
    self.attachments = attachments
    self.entries = entries
  }

  /// Reads what the content of a record begins with.
  init(of id: EntityID, _ reader: inout PayloadReader) throws(PayloadDamage) {
    let flags: UInt8 = try reader.integer()
    guard flags <= 1 else { throw PayloadDamage(what: "flags \(flags) of an outline") }
    isKeyed = flags == 1
    lastPosition = try reader.position()
    lastTime = try reader.timestamp()
    attachments = try Self.attachments(&reader)
    entries = try Self.entries(of: id, &reader)
  }

  private static func attachments(
    _ reader: inout PayloadReader
  ) throws(PayloadDamage) -> [AttachmentReference] {
    var attachments: [AttachmentReference] = []
    let count: UInt16 = try reader.integer()
    for _ in 0..<count {
      let position = try reader.position()
      let byteCount: UInt32 = try reader.integer()
      guard position > attachments.last?.position ?? .start, byteCount > 0 else {
        throw PayloadDamage(what: "the attachments of an outline")
      }
      attachments.append(AttachmentReference(position: position, byteCount: Int(byteCount)))
    }
    return attachments
  }

  private static func entries(
    of id: EntityID, _ reader: inout PayloadReader
  ) throws(PayloadDamage) -> [OpenEntry] {
    var entries: [OpenEntry] = []
    let count: UInt16 = try reader.integer()
    for _ in 0..<count {
      let list: UInt8 = try reader.integer()
      var key = [list]
      key += try reader.payload()
      id.append(to: &key)
      guard list > 0, entries.last?.key.precedes(key) ?? true else {
        throw PayloadDamage(what: "the entries of an outline")
      }
      entries.append(OpenEntry(key: key, value: try reader.payload()))
    }
    return entries
  }
}
