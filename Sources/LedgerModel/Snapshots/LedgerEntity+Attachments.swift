/// What is stored beside an event because it is large.
package struct AttachmentReference: Sendable, Hashable {
  package let position: Position
  package let byteCount: Int

  package init(position: Position, byteCount: Int) {
    self.position = position
    self.byteCount = byteCount
  }

  /// What stands beside an event, if anything does.
  package init?(_ event: borrowing EventView) {
    guard event.attachmentByteCount > 0 else { return nil }
    self.init(position: event.position, byteCount: event.attachmentByteCount)
  }

  /// About so many bytes of attachments are in memory at a time, or one that is larger.
  package static let groupByteCount = 4 << 20
}

extension LedgerEntity {
  /// The attachments that belong to the entity's record, also when their events are deleted.
  package var attachments: Set<AttachmentReference> {
    switch self {
    case .session: []
    case .promise(let promise): promise.attachments
    case .handler(let handler): handler.attachments
    case .opaque(let entity): Set(entity.outline.attachments)
    }
  }
}

extension PromiseEntity {
  fileprivate var attachments: Set<AttachmentReference> { Set([attachment].compactMap(\.self)) }

  /// A large value or error.
  package var attachment: AttachmentReference? {
    guard let resolution, resolution.attachmentByteCount > 0 else { return nil }
    return AttachmentReference(
      position: resolution.fact.position, byteCount: resolution.attachmentByteCount)
  }
}

extension HandlerEntity {
  fileprivate var attachments: Set<AttachmentReference> {
    var all = [bound.arguments.attachment, lastFinish?.report.attachment]
    for call in openCalls.values {
      all += [call.arguments.attachment, call.bound.arguments.attachment]
    }
    return Set(all.compactMap(\.self))
  }
}

extension StoredReference {
  package var attachment: AttachmentReference? {
    guard case .attached(let position, let byteCount) = self else { return nil }
    return AttachmentReference(position: position, byteCount: byteCount)
  }
}
