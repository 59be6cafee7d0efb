import LedgerBytes

/// Writes an excerpt of a ledger: records and events, each as in an archive, with gaps.
///
/// Its first line says that it is an excerpt, so an import rejects it: no ledger can be made of it. Its last
/// line proves that nothing is missing from it.
package struct ExcerptWriter: Sendable {
  /// The name of the format in the first line.
  static let format = "promise-ledger-excerpt"
  private static let version = 1

  /// The reason why only a part was written.
  package enum Purpose: String, Sendable {
    /// The rest of a damaged ledger that a salvaged ledger cannot hold.
    case salvage
    /// One promise, handler or session, with its relations.
    case subject
  }

  private var hash = SHA256Hasher()
  package private(set) var eventCount = 0
  package private(set) var recordCount = 0

  package init() {}

  /// The first line.
  ///
  /// - Parameter ledgerID: The ledger, if it is known.
  package mutating func header(of ledgerID: LedgerID?, _ purpose: Purpose) -> [UInt8] {
    var line = ArchiveLineWriter()
    line.add("type", text: "header")
    line.add("format", text: Self.format)
    line.add("version", number: Self.version)
    line.add("ledger", text: ledgerID?.description ?? "")
    line.add("purpose", text: purpose.rawValue)
    return hashed(line.finish())
  }

  /// A record of a snapshot.
  package mutating func record(_ id: EntityID, _ stored: SnapshotRecord.Stored) -> [UInt8] {
    recordCount += 1
    return hashed(
      ArchiveLine.record(ArchivedRecord(type: stored.type, id: id, content: stored.content)).text)
  }

  /// A value that the record before it owns.
  package mutating func attachment(_ content: [UInt8], at position: Position) -> [UInt8] {
    hashed(
      ArchiveLine.attachment(ArchivedAttachment(position: position, content: content)).text)
  }

  /// An event with its attachment.
  ///
  /// - Parameter attachment: `nil` if it is lost, which a further line says.
  package mutating func event(_ event: StoredEvent, attachment: [UInt8]?) -> [UInt8] {
    eventCount += 1
    var text = ArchiveLine.event(ArchivedEvent(event, attachment: attachment ?? [])).text
    if attachment == nil {
      var line = ArchiveLineWriter()
      line.add("type", text: "lostAttachment")
      line.add("position", number: event.position.rawValue)
      line.add("bytes", number: event.view.attachmentByteCount)
      text += line.finish()
    }
    return hashed(text)
  }

  /// A line of an archive, as it is.
  mutating func line(_ line: ArchiveLine) -> [UInt8] {
    if case .record = line { recordCount += 1 }
    if case .event = line { eventCount += 1 }
    return hashed(line.text)
  }

  /// The last line.
  package mutating func end() -> [UInt8] {
    var line = ArchiveLineWriter()
    line.add("type", text: "end")
    line.add("events", number: eventCount)
    line.add("records", number: recordCount)
    line.add("sha256", text: hash.finish().bytes.hexadecimal)
    return line.finish()
  }

  private mutating func hashed(_ text: [UInt8]) -> [UInt8] {
    hash.update(text.span)
    return text
  }
}
