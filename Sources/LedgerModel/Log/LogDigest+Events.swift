extension LogDigest {
  /// Adds the next event as stored in its frame.
  package mutating func append(
    _ event: borrowing EventView, of commit: CommitID, attachment: [UInt8]
  ) {
    append(
      event.record, at: event.position, of: commit.session, commit.number, attachment: attachment)
  }

  /// The digest after one more event.
  ///
  /// - Precondition: `event` is the event after ``position``.
  package func adding(_ event: StoredEvent, attachment: [UInt8]) -> LogDigest {
    precondition(event.position == position.advanced(by: 1), "a digest skips an event")
    var digest = self
    digest.append(event.view, of: event.commit, attachment: attachment)
    return digest
  }
}
