import LedgerBytes

/// The self-description of a record with a later layout, with which every build can keep, move and remove it.
package struct RecordOutline: Sendable, Hashable {
  /// Whether the id can be computed again, so that a removal leaves a tombstone.
  package let isKeyed: Bool
  /// The position of its newest event.
  package let lastPosition: Position
  /// The time of its newest event.
  package let lastTime: Timestamp
  /// The large values that the record owns, in the order of positions.
  package let attachments: [AttachmentReference]
  /// The record's entries in all lists, in the order of keys.
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

  /// The bytes at the start of a record's content.
  var encoded: [UInt8] {
    var bytes: [UInt8] = [isKeyed ? 1 : 0]
    bytes.appendLittleEndian(lastPosition.rawValue)
    bytes.appendLittleEndian(lastTime.nanosecondsSinceEpoch)
    bytes.appendLittleEndian(UInt16(clamping: attachments.count))
    for attachment in attachments {
      bytes.appendLittleEndian(attachment.position.rawValue)
      bytes.appendLittleEndian(UInt32(clamping: attachment.byteCount))
    }
    bytes.appendLittleEndian(UInt16(clamping: entries.count))
    for entry in entries {
      bytes.append(entry.key[0])
      bytes.appendPayload(Array(entry.key[1..<(entry.key.count - 16)]))
      bytes.appendPayload(entry.value)
    }
    return bytes
  }

  /// Reads the outline at the start of a record's content.
  init(of id: EntityID, _ reader: inout PayloadReader) throws(PayloadDamage) {
    let flags: UInt8 = try reader.integer()
    guard flags <= 1 else {
      throw PayloadDamage(what: "the flags \(flags) of an outline are unknown")
    }
    isKeyed = flags == 1
    lastPosition = try reader.position()
    lastTime = try reader.timestamp()
    attachments = try Self.attachments(&reader, through: lastPosition)
    entries = try Self.entries(of: id, &reader)
    guard fitsLists else { throw PayloadDamage(what: "the entries of an outline are invalid") }
  }

  private static func attachments(
    _ reader: inout PayloadReader, through lastPosition: Position
  ) throws(PayloadDamage) -> [AttachmentReference] {
    var attachments: [AttachmentReference] = []
    let count: UInt16 = try reader.integer()
    for _ in 0..<count {
      let position = try reader.position()
      let byteCount: UInt32 = try reader.integer()
      guard position > attachments.last?.position ?? .start, position <= lastPosition,
        byteCount > 0
      else {
        throw PayloadDamage(what: "the attachments of an outline are invalid")
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
      let value = try reader.payload()
      guard list > 0, entries.last?.key.precedes(key) ?? true,
        key.count <= maximumKeyByteCount, value.count <= maximumValueByteCount
      else { throw PayloadDamage(what: "the entries of an outline are invalid") }
      entries.append(OpenEntry(key: key, value: value))
    }
    return entries
  }

  /// The maximum size of an entry's key, in bytes: the largest key that every store can hold.
  private static let maximumKeyByteCount = 511
  /// The maximum size of an entry's value, in bytes.
  private static let maximumValueByteCount = 2_048

  /// Whether the entries in known lists obey the rules for known entities: at most one in each ordered list,
  /// and no other entry besides that of a closed entity.
  private var fitsLists: Bool {
    var known: [OpenList.Kind] = []
    for entry in entries {
      guard let kind = entry.kind else { continue }
      guard fits(entry, in: kind) else { return false }
      if kind.hasSeveral, known.last == kind { continue }
      known.append(kind)
    }
    return Set(known).count == known.count && (!known.contains(.closed) || known.count == 1)
  }

  private func fits(_ entry: OpenEntry, in list: OpenList.Kind) -> Bool {
    let middle = entry.key[1..<(entry.key.count - 16)]
    let hasOrder = middle.count == 8
    switch list {
    case .scopes: return middle.firstIndex(of: 0) == middle.endIndex - 1 && entry.value.isEmpty
    case .running: return middle.count == 16 && entry.value.isEmpty
    case .sessions: return middle.isEmpty && entry.value.isEmpty
    case .deadlines: return hasOrder && entry.value.isEmpty
    case .handlers, .promises:
      return hasOrder && entry.position > .start && entry.position <= lastPosition
    case .closed: return hasOrder && entry.position == lastPosition && entry.value.count >= 8
    case .work, .parkedWork: return hasOrder
    case .dueWork, .timedWork: return middle.firstIndex(of: 0) == middle.endIndex - 9
    case .awaitingWork: return entry.awaited != nil
    case .children, .joints: return middle.count == 16 && entry.value.isEmpty
    case .lanes:
      guard middle.count > 10, middle[middle.endIndex - 10] == 0 else { return false }
      return OpenList.LanePart(rawValue: middle[middle.endIndex - 9]) != nil
    }
  }
}
