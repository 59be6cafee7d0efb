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
    // Most promises have none.
    guard attachment != nil || progress != nil else { return [] }
    return Set(([attachment] + argumentAttachments + stepAttachments).compactMap(\.self))
  }

  /// The references to large results of steps, which later attempts of pending work need.
  private var stepAttachments: [AttachmentReference?] {
    guard status == .pending, let progress else { return [] }
    return progress.steps.map(\.attachment)
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
