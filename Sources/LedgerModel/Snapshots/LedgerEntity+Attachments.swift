/// A reference to a value that is stored beside an event because it is large.
package struct AttachmentReference: Sendable, Hashable {
  package let position: Position
  package let byteCount: Int

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

extension LedgerEntity {
  /// The attachments that belong to the entity's record, even after their events are deleted.
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
  fileprivate var attachments: Set<AttachmentReference> {
    Set(([attachment] + argumentAttachments).compactMap(\.self))
  }

  /// The references to the large arguments of work that may still run.
  private var argumentAttachments: [AttachmentReference?] {
    guard status == .pending, let progress else { return [] }
    if let amended = progress.arguments { return [amended.arguments.attachment] }
    guard progress.creationAttachmentByteCount > 0 else { return [] }
    return [
      AttachmentReference(
        position: created.position, byteCount: progress.creationAttachmentByteCount)
    ]
  }

  /// The reference to a large value or error; `nil` if there is none.
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
