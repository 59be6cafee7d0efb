extension LogDigest {
  /// The digest after all events up to `end`, or after as many as one read hands over.
  package func continued(
    over source: some EventSource, through end: Position
  ) throws(LedgerError) -> LogDigest {
    var digest = self
    for event in try source.storedEvents(after: position, through: end, limit: 1_000) {
      guard event.position == digest.position.advanced(by: 1) else {
        throw .missingEvents(after: digest.position)
      }
      digest = digest.adding(event, attachment: try source.attachment(of: event))
    }
    return digest
  }
}

extension EventSource {
  /// What is stored beside an event because it is large.
  package func attachment(of event: StoredEvent) throws(LedgerError) -> [UInt8] {
    try attachment(of: event.view)
  }

  /// What is stored beside an event because it is large.
  package func attachment(of event: borrowing EventView) throws(LedgerError) -> [UInt8] {
    let byteCount = event.attachmentByteCount
    guard byteCount > 0 else { return [] }
    return try attachment(of: event.position, byteCount: byteCount)
  }
}

extension LedgerError {
  /// The head says that there are more events than can be read.
  package static func missingEvents(after position: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "Events after position \(position) are missing. Restore the ledger from a copy.")
  }
}
