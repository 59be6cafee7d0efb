/// A reference to a value that is stored beside an event because it is large.
public struct AttachmentReference: Sendable, Hashable {
  /// The position of the event.
  public let position: Position
  /// The size of the value, in bytes.
  public let byteCount: Int

  package init(position: Position, byteCount: Int) {
    self.position = position
    self.byteCount = byteCount
  }

  /// Creates a reference to the value beside an event, if there is one.
  package init?(_ event: borrowing EventView) {
    guard event.attachmentByteCount > 0 else { return nil }
    self.init(position: event.position, byteCount: event.attachmentByteCount)
  }

  /// The approximate size of the attachments in memory at a time, in bytes; a single larger attachment is
  /// allowed.
  package static let groupByteCount = 4 << 20
}

extension StoredReference {
  package var attachment: AttachmentReference? {
    guard case .attached(let position, let byteCount) = self else { return nil }
    return AttachmentReference(position: position, byteCount: byteCount)
  }
}
