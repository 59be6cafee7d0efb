extension LogDigest {
  /// Returns the digest after all events up to `end`, or after as many events as one read returns.
  package func continued(
    over source: some EventSource, through end: Position
  ) throws(LedgerError) -> LogDigest {
    var digest = self
    let events = try source.storedEvents(after: position, through: end, limit: 1_000)
    for (event, attachment) in events {
      guard event.position == digest.position.advanced(by: 1) else {
        throw .missingEvents(after: digest.position)
      }
      digest = digest.adding(event, attachment: try attachment.get())
    }
    return digest
  }
}

extension LedgerError {
  /// The error for a head that promises more events than can be read.
  package static func missingEvents(after position: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "Events after position \(position) are missing. Restore the ledger from a copy.")
  }
}
