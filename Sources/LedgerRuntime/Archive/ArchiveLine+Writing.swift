extension ArchiveLine {
  /// The line with its line feed.
  var text: [UInt8] {
    var writer = ArchiveLineWriter()
    switch self {
    case .header(let header): header.write(to: &writer)
    case .snapshot(let snapshot): snapshot.write(to: &writer)
    case .record(let record): record.write(to: &writer)
    case .attachment(let attachment): attachment.write(to: &writer)
    case .tombstone(let id):
      writer.add("type", text: "tombstone")
      writer.add("id", text: id.description)
    case .event(let event): event.write(to: &writer)
    case .recording(let recording): recording.write(to: &writer)
    case .state(let state): state.write(to: &writer)
    case .end(let end): end.write(to: &writer)
    }
    return writer.finish()
  }
}

extension ArchiveHeader {
  /// The name of the format, which distinguishes an archive from other files.
  static let format = "promise-ledger-archive"

  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "header")
    line.add("format", text: Self.format)
    line.add("version", number: Self.version)
    line.add("ledger", text: ledgerID.description)
    line.add("createdAt", number: createdAt.nanosecondsSinceEpoch)
    line.add("basePosition", number: base.position.rawValue)
    line.add("baseDigest", text: base.description)
  }
}

extension ArchivedSnapshot {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "snapshot")
    line.add("position", number: log.position.rawValue)
    line.add("logDigest", text: log.description)
    line.add("time", number: time.nanosecondsSinceEpoch)
    line.add("stateDigest", text: stateDigest.description)
    line.add("horizonPosition", number: horizon.position.rawValue)
    line.add("horizonTime", number: horizon.time.nanosecondsSinceEpoch)
  }
}

extension ArchivedRecord {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "record")
    line.add("kind", number: type.kind)
    line.add("name", text: EntityKind(rawValue: type.kind)?.name ?? "")
    if type.layout != RecordType.original { line.add("layout", number: type.layout) }
    line.add("id", text: id.description)
    line.add("content", base64: content)
  }
}

extension ArchivedAttachment {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "attachment")
    line.add("position", number: position.rawValue)
    line.add("content", base64: content)
  }
}

extension ArchivedEvent {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "event")
    line.add("position", number: position.rawValue)
    line.add("time", number: time.nanosecondsSinceEpoch)
    line.add("kind", number: kind.rawValue)
    line.add("name", text: kind.name ?? "")
    line.add("version", number: version)
    line.add("flags", number: flags)
    line.add("subject", text: subject.description)
    line.add("session", text: commit.session.description)
    line.add("commit", number: commit.number)
    line.add("cause", number: cause.rawValue)
    line.add("payload", base64: payload)
    line.add("attachment", base64: attachment)
  }
}

extension ArchivedRecording {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "recording")
    line.add("redacted", number: isRedacted ? 1 : 0)
  }
}

extension ArchivedState {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "state")
    line.add("position", number: position.rawValue)
    line.add("digest", text: digest.description)
  }
}

extension ArchiveEnd {
  fileprivate func write(to line: inout ArchiveLineWriter) {
    line.add("type", text: "end")
    line.add("events", number: eventCount)
    line.add("records", number: recordCount)
    line.add("logDigest", text: logDigest.hexadecimal)
    line.add("sha256", text: hash.hexadecimal)
  }
}

/// Writes a JSON object on one line. Names and texts need no escapes: they are ids, digits and names of
/// kinds.
struct ArchiveLineWriter {
  private var bytes: [UInt8] = []

  init() {
    bytes.reserveCapacity(512)
  }

  mutating func add(_ name: StaticString, text: String) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: text.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func add(_ name: StaticString, number: some FixedWidthInteger) {
    begin(name)
    bytes.append(contentsOf: String(number).utf8)
  }

  mutating func add(_ name: StaticString, base64 content: [UInt8]) {
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    Base64.append(content, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  consuming func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private mutating func begin(_ name: StaticString) {
    bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: name.description.utf8)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }
}
