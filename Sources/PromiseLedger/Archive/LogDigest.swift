import LedgerBytes

/// A SHA-256 over every event up to a position: equal for two ledgers with the same events.
///
/// It is a chain: the digest at a position is the hash of the digest before and of the event, so it
/// can be continued from any position, and it does not depend on how events are packed into frames.
/// See the article *File format*.
public struct LogDigest: Sendable, Hashable {
  /// The last event that it covers.
  public private(set) var position: Position
  private var hash: SHA256Hash

  /// The 32 bytes of the hash.
  public var bytes: [UInt8] { hash.bytes }

  /// The digest before the first event: zeros.
  public static let start = LogDigest(position: .start, hash: .zeros)

  private init(position: Position, hash: SHA256Hash) {
    self.position = position
    self.hash = hash
  }

  /// - Precondition: There are 32 bytes.
  package init(position: Position, bytes: [UInt8]) {
    self.init(position: position, hash: SHA256Hash(bytes: bytes.span))
  }

  /// Takes in the next event as it lies in its frame.
  package mutating func append(
    _ event: borrowing EventView, of commit: CommitID, attachment: [UInt8]
  ) {
    var hasher = SHA256Hasher()
    let session = commit.session.entityID.words
    let place = SIMD4(event.position.rawValue, session[0], session[1], commit.number)
    hasher.update(SIMD8(lowHalf: hash.words, highHalf: place))
    hasher.update(event.record)
    hasher.update(attachment.span)
    position = event.position
    hash = hasher.finish()
  }

  /// The digest after one more event.
  ///
  /// - Precondition: `event` is the one after ``position``.
  package func adding(_ event: StoredEvent, attachment: [UInt8]) -> LogDigest {
    precondition(event.position == position.advanced(by: 1), "a digest skips an event")
    var digest = self
    digest.append(event.view, of: event.commit, attachment: attachment)
    return digest
  }

  /// The digest after all events up to `end`, or after as many as one read hands over.
  func continued(
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

extension LogDigest: CustomStringConvertible {
  /// The hash in hexadecimal digits.
  public var description: String { bytes.hexadecimal }
}

extension EventSource {
  /// What is stored beside an event because it is large.
  func attachment(of event: StoredEvent) throws(LedgerError) -> [UInt8] {
    try attachment(of: event.view)
  }

  /// What is stored beside an event because it is large.
  package func attachment(of event: borrowing EventView) throws(LedgerError) -> [UInt8] {
    let byteCount = event.attachmentByteCount
    guard byteCount > 0 else { return [] }
    return try attachment(of: event.position, byteCount: byteCount)
  }
}

extension Ledger {
  /// The digest of all events up to the newest, those that were deleted included.
  ///
  /// - Parameter digest: Where to go on from; by default where events are kept.
  /// - Throws: ``LedgerError`` with `corrupt`, `closed`; with `eventsCompacted` if events after `digest`
  ///   were deleted.
  /// - Complexity: O(events) after `digest`.
  public func logDigest(from digest: LogDigest? = nil) async throws -> LogDigest {
    let (end, deleted) = try await engine.withStore { (store) throws(LedgerError) in
      (try store.head(), try store.snapshotSummary().deletedLog)
    }
    var digest = digest ?? deleted
    while digest.position < end {
      try Task.checkCancellation()
      let start = digest
      digest = try await engine.withStore { (store) throws(LedgerError) in
        try start.continued(over: store, through: end)
      }
      if digest.position == start.position {
        throw LedgerError.missingEvents(after: start.position)
      }
    }
    return digest
  }
}

extension LedgerError {
  /// The head says that there are more events than can be read.
  static func missingEvents(after position: Position) -> LedgerError {
    LedgerError(
      .corrupt,
      "Events after position \(position) are missing. Restore the ledger from a copy.")
  }
}
