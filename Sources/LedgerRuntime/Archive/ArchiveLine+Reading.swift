import LedgerBytes

extension ArchiveLine {
  /// Reads a line without its line feed.
  ///
  /// - Throws: The problem of the line: anything that this build would write differently.
  init(parsing line: [UInt8]) throws(ArchiveProblem) {
    var reader = ArchiveLineReader(line)
    switch try reader.text("type") {
    case "header": self = .header(try ArchiveHeader(&reader))
    case "snapshot": self = .snapshot(try ArchivedSnapshot(&reader))
    case "record": self = .record(try ArchivedRecord(&reader))
    case "attachment": self = .attachment(try ArchivedAttachment(&reader))
    case "tombstone": self = .tombstone(try reader.id("id"))
    case "event": self = .event(try ArchivedEvent(&reader))
    case "recording": self = .recording(try ArchivedRecording(&reader))
    case "state": self = .state(try ArchivedState(&reader))
    case "end": self = .end(try ArchiveEnd(&reader))
    case let other: throw .newer("its type is \(other)")
    }
    try reader.finish()
  }
}

/// The reason why a line cannot be accepted.
enum ArchiveProblem: Error, Hashable {
  case damaged(String)
  /// A newer version wrote the line.
  case newer(String)
  /// The line is larger than allowed.
  case tooLarge(String)
}

extension ArchiveHeader {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    let format = try line.text("format")
    guard format != ExcerptWriter.format else {
      throw .damaged("it says that this is an excerpt, of which no ledger can be made")
    }
    guard format == Self.format else {
      throw .damaged("it is not the header of an archive")
    }
    let version: UInt32 = try line.number("version")
    guard version > 0 else { throw .damaged("archives have no version 0") }
    guard version <= Self.version else {
      throw .newer("the archive has version \(version), and this build reads up to \(Self.version)")
    }
    self.init(
      ledgerID: LedgerID(entityID: try line.id("ledger")),
      createdAt: Timestamp(nanosecondsSinceEpoch: try line.number("createdAt")),
      base: LogDigest(
        position: Position(rawValue: try line.number("basePosition")),
        bytes: try line.digest("baseDigest")))
    guard base.position <= Self.greatestBase else {
      throw .damaged("more events come before it than a ledger can have")
    }
  }
}

extension ArchivedSnapshot {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    let position = Position(rawValue: try line.number("position"))
    log = LogDigest(position: position, bytes: try line.digest("logDigest"))
    time = Timestamp(nanosecondsSinceEpoch: try line.number("time"))
    stateDigest = StateDigest(bytes: try line.digest("stateDigest"))
    let horizonPosition = Position(rawValue: try line.number("horizonPosition"))
    horizon = SnapshotSummary.Horizon(
      position: horizonPosition,
      time: Timestamp(nanosecondsSinceEpoch: try line.number("horizonTime")))
  }
}

extension ArchivedRecord {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    let number: UInt8 = try line.number("kind")
    let name = try line.text("name")
    let hasLayout = line.isNext("layout")
    let layout: UInt8 = hasLayout ? try line.number("layout") : RecordType.original
    guard layout != RecordType.original || !hasLayout else { throw .damaged("its layout is 0") }
    type = RecordType(kind: number, layout: layout)
    // A newer build may have written a name that is not known here; one without the kind writes none.
    if let kind = EntityKind(rawValue: number) {
      guard kind.name == name || name.isEmpty else {
        throw .damaged("the name of kind \(number) is not \(name)")
      }
    } else if layout == RecordType.original {
      throw .damaged("the kind \(number) is unknown")
    }
    id = try line.id("id")
    content = try line.base64("content")
  }
}

extension ArchivedAttachment {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    position = Position(rawValue: try line.number("position"))
    content = try line.base64("content")
  }
}

extension ArchivedEvent {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    let position = Position(rawValue: try line.number("position"))
    let time = Timestamp(nanosecondsSinceEpoch: try line.number("time"))
    let kind = EventKind(rawValue: try line.number("kind"))
    // A newer build may have written a name that is not known here; one without the kind writes none.
    let name = try line.text("name")
    guard name.isEmpty || name == kind.name ?? name else {
      throw .damaged("the name of kind \(kind.rawValue) is not \(name)")
    }
    let version: UInt16 = try line.number("version")
    let flags: UInt32 = try line.number("flags")
    let subject = try line.id("subject")
    let session = SessionID(entityID: try line.id("session"))
    self.init(
      position: position, commit: CommitID(session: session, number: try line.number("commit")),
      time: time, kind: kind, version: version, flags: flags, subject: subject,
      cause: Position(rawValue: try line.number("cause")), payload: try line.base64("payload"),
      attachment: try line.base64("attachment"))
    guard payload.count <= EventBatch.maximumPayloadByteCount else {
      throw .tooLarge("its payload has \(payload.count) bytes, too many for a frame")
    }
  }
}

extension ArchivedRecording {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    let number: UInt8 = try line.number("redacted")
    guard number <= 1 else { throw .damaged("the member redacted is neither 0 nor 1") }
    isRedacted = number == 1
  }
}

extension ArchivedState {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    position = Position(rawValue: try line.number("position"))
    digest = StateDigest(bytes: try line.digest("digest"))
  }
}

extension ArchiveEnd {
  fileprivate init(_ line: inout ArchiveLineReader) throws(ArchiveProblem) {
    self.init(
      eventCount: try line.number("events"), recordCount: try line.number("records"),
      logDigest: try line.digest("logDigest"), hash: try line.digest("sha256"))
  }
}

/// Reads the only valid spelling of an object, the one that ``ArchiveLine/text`` writes.
private struct ArchiveLineReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func text(_ name: StaticString) throws(ArchiveProblem) -> String {
    // The text is only compared with known texts, and it is displayed, so no other characters are allowed.
    let text = String(decoding: try string(name), as: UTF8.self)
    guard text.utf8.count <= 64, text.utf8.allSatisfy(Self.isWordCharacter) else {
      throw .damaged("the member \(name) is not a word")
    }
    return text
  }

  mutating func number<Number: FixedWidthInteger>(
    _ name: StaticString
  ) throws(ArchiveProblem) -> Number {
    try begin(name)
    let start = offset
    while offset < bytes.count, bytes[offset] != UInt8(ascii: ","),
      bytes[offset] != UInt8(ascii: "}")
    { offset += 1 }
    let digits = String(decoding: bytes[start..<offset], as: UTF8.self)
    guard let number = Number(digits), String(number) == digits else {
      throw .damaged("the member \(name) is not a number in its range")
    }
    return number
  }

  mutating func id(_ name: StaticString) throws(ArchiveProblem) -> EntityID {
    let text = String(decoding: try string(name), as: UTF8.self)
    guard let id = EntityID(text), id.description == text else {
      throw .damaged("the member \(name) is not an id")
    }
    return id
  }

  mutating func digest(_ name: StaticString) throws(ArchiveProblem) -> [UInt8] {
    guard let digest = [UInt8](hexadecimalDigits: try string(name)),
      digest.count == SHA256Hash.byteCount
    else { throw .damaged("the member \(name) is not a digest") }
    return digest
  }

  mutating func base64(_ name: StaticString) throws(ArchiveProblem) -> [UInt8] {
    guard let content = Base64.decode(try string(name)) else {
      throw .damaged("the member \(name) is not Base64")
    }
    return content
  }

  func finish() throws(ArchiveProblem) {
    guard bytes[offset...].elementsEqual("}".utf8) else {
      throw .damaged("something follows the last member")
    }
  }

  /// Reads a text between double quotes; escapes are not supported.
  private mutating func string(_ name: StaticString) throws(ArchiveProblem) -> ArraySlice<UInt8> {
    try begin(name)
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      throw .damaged("the member \(name) is not a text")
    }
    let start = offset + 1
    guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\"")) else {
      throw .damaged("the member \(name) does not end")
    }
    offset = end + 1
    return bytes[start..<end]
  }

  /// Whether the next member has this name.
  func isNext(_ name: StaticString) -> Bool { bytes[offset...].starts(with: beginning(of: name)) }

  private mutating func begin(_ name: StaticString) throws(ArchiveProblem) {
    guard isNext(name) else { throw .damaged("the member \(name) is out of place") }
    offset += beginning(of: name).count
  }

  private func beginning(of name: StaticString) -> [UInt8] {
    Array("\(offset == 0 ? "{" : ",")\"\(name)\":".utf8)
  }

  private static func isWordCharacter(_ character: UInt8) -> Bool {
    switch character {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
