/// The kind of a large value that belongs to a record.
package enum AttachmentKind: Sendable {
  /// The last part of a payload.
  case content(of: any AttachablePayload)
  case arguments
  case report(HandlerCallFinished.Outcome)

  /// Checks that the bytes can be decoded, but for a value in them.
  ///
  /// - Throws: ``LedgerError/Code/corrupt``.
  package func check(_ bytes: [UInt8]) throws(LedgerError) {
    switch self {
    case .content(let payload): try payload.check(bytes)
    case .arguments: _ = try StoredArguments(decoding: bytes)
    case .report(let outcome):
      _ = try HandlerCallFinished.Report(decoding: bytes, outcome: outcome)
    }
  }
}

extension LedgerEntity {
  /// The kind of the large value that is stored beside the event at a position.
  ///
  /// - Returns: `nil` if the entity has no such values, or this build does not know them.
  /// - Throws: ``LedgerError/Code/corrupt`` if the payload of the event is damaged.
  package func kind(ofAttachmentAt position: Position) throws(LedgerError) -> AttachmentKind? {
    switch self {
    case .promise(let promise): try promise.kind(ofAttachmentAt: position)
    case .handler(let handler): handler.kind(ofAttachmentAt: position)
    case .session, .opaque: nil
    }
  }

  /// Checks that the payloads in the record can be decoded, but for values in them: those of its creation, its
  /// outcome, and its steps.
  ///
  /// The rest is decoded with the record.
  ///
  /// - Parameters:
  ///   - end: The last event whose content is checked.
  ///   - report: Receives the position of each event whose content is damaged.
  package func checkContents(
    through end: Position, _ report: (Position, LedgerError) -> Void
  ) {
    guard case .promise(let promise) = self else { return }
    if promise.created.position <= end, !promise.isCreationSurelyIntact {
      do throws(LedgerError) {
        _ = try promise.creation()
      } catch {
        report(promise.created.position, error)
      }
    }
    if let resolution = promise.resolution, resolution.fact.position <= end {
      do throws(LedgerError) {
        try resolution.checkContent()
      } catch {
        report(resolution.fact.position, error)
      }
    }
    for step in promise.progress?.steps ?? [] where step.fact.position <= end {
      do throws(LedgerError) {
        let finished = try step.finished()
        if let content = finished.content { try finished.check(content) }
      } catch {
        report(step.fact.position, error)
      }
    }
  }
}

extension PromiseEntity {
  fileprivate func kind(
    ofAttachmentAt position: Position
  ) throws(LedgerError) -> AttachmentKind {
    if let resolution, resolution.fact.position == position {
      return .content(of: try PromiseResolved(decoding: resolution.payload))
    }
    if let step = progress?.steps.first(where: { $0.fact.position == position }) {
      return .content(of: try step.finished())
    }
    return .arguments
  }
}

extension PromiseEntity.Resolution {
  fileprivate func checkContent() throws(LedgerError) {
    // Most need not be decoded, so that verification stays fast.
    guard !PromiseResolved.isSurelyIntact(encoded: payload) else { return }
    let resolved = try PromiseResolved(decoding: payload)
    if let content = resolved.content { try resolved.check(content) }
  }
}

extension HandlerEntity {
  fileprivate func kind(ofAttachmentAt position: Position) -> AttachmentKind {
    if let lastFinish, lastFinish.fact.position == position { return .report(lastFinish.outcome) }
    return .arguments
  }
}
