import Foundation
import LedgerBytes
import LedgerModel

/// Mends the counts and digests of an archive, without which no change would get past them.
///
/// It reads the lines by itself, so it is also a second statement of what the digests are made of.
struct ArchiveMending {
  private var lines: [[UInt8]]
  private var log = LogDigest.start
  private var state = StateDigest.empty
  private var snapshot: (line: Int, position: UInt64)?
  private var recordCount = 0
  private var eventCount = 0

  /// The archive with mended counts and digests.
  static func mended(_ archive: [UInt8]) -> [UInt8] {
    var mending = ArchiveMending(archive)
    mending.readAll()
    return mending.archive
  }

  private init(_ archive: [UInt8]) {
    lines = archive.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map(Array.init)
  }

  private var archive: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

  private mutating func readAll() {
    for index in lines.indices {
      let line = ArchiveMembers(lines[index])
      switch line.text("type") {
      case "header":
        guard let position = line.number("basePosition", UInt64.self),
          let digest = line.digest("baseDigest")
        else { return }
        log = LogDigest(position: Position(rawValue: position), bytes: digest)
        noteSnapshot()
      case "snapshot":
        guard let position = line.number("position", UInt64.self) else { return }
        snapshot = (index, position)
        noteSnapshot()
      case "record": note(record: line)
      case "tombstone":
        if let id = line.id("id") { state.addTombstone(id) }
      case "event": note(event: line)
      case "end": mendEnd(index)
      default: break
      }
      if line.text("type") == "event", eventCount == 1 { mendSnapshot() }
    }
    if eventCount == 0 { mendSnapshot() }
  }

  private mutating func note(record line: ArchiveMembers) {
    recordCount += 1
    guard let kind = line.number("kind", UInt8.self), let id = line.id("id"),
      let content = line.base64("content")
    else { return }
    let layout = line.number("layout", UInt8.self) ?? RecordType.original
    state.add(RecordType(kind: kind, layout: layout), id, content)
  }

  private mutating func note(event line: ArchiveMembers) {
    eventCount += 1
    guard let position = line.number("position", UInt64.self), let event = line.event,
      let session = line.id("session"), let number = line.number("commit", UInt64.self),
      Position(rawValue: position) == log.position.advanced(by: 1)
    else { return }
    var batch = EventBatch()
    guard (try? batch.append(event)) != nil else { return }
    let commit = CommitID(session: SessionID(entityID: session), number: number)
    let view = EventView(
      bytes: batch.bytes.span, position: Position(rawValue: position), session: commit.session)
    log.append(view, of: commit, attachment: event.attachment)
    noteSnapshot()
  }

  /// The digest of the snapshot is that of the events up to its position.
  private mutating func noteSnapshot() {
    guard let snapshot, snapshot.position == log.position.rawValue else { return }
    lines[snapshot.line] = ArchiveMembers(lines[snapshot.line])
      .replacing("logDigest", with: log.description)
  }

  private mutating func mendSnapshot() {
    guard let snapshot else { return }
    lines[snapshot.line] = ArchiveMembers(lines[snapshot.line])
      .replacing("stateDigest", with: state.description)
  }

  private mutating func mendEnd(_ index: Int) {
    var hasher = SHA256Hasher()
    for line in lines[..<index] {
      hasher.update(line.span)
      hasher.update(UInt8(ascii: "\n"))
    }
    let values = [
      ("events", "\(eventCount)"), ("records", "\(recordCount)"), ("logDigest", log.description),
      ("sha256", "\(StateDigest(bytes: hasher.finish().bytes))"),
    ]
    for (name, value) in values {
      lines[index] = ArchiveMembers(lines[index]).replacing(name, with: value)
    }
  }
}

/// The members of a line of an archive, found by their names.
struct ArchiveMembers {
  private let line: [UInt8]

  init(_ line: [UInt8]) { self.line = line }

  /// The place of a member's value, without quotes.
  private func place(of name: String) -> Range<Int>? {
    let key = Array("\"\(name)\":".utf8)
    guard let start = line.firstRange(of: key)?.upperBound, start < line.count else { return nil }
    let isText = line[start] == UInt8(ascii: "\"")
    let first = isText ? start + 1 : start
    let ends: [UInt8] = isText ? [UInt8(ascii: "\"")] : [UInt8(ascii: ","), UInt8(ascii: "}")]
    guard let end = line[first...].firstIndex(where: ends.contains) else { return nil }
    return first..<end
  }

  func text(_ name: String) -> String? {
    place(of: name).map { String(decoding: line[$0], as: UTF8.self) }
  }

  func number<Number: FixedWidthInteger>(_ name: String, _: Number.Type) -> Number? {
    text(name).flatMap { Number($0) }
  }

  func id(_ name: String) -> EntityID? { text(name).flatMap(EntityID.init) }

  func digest(_ name: String) -> [UInt8]? {
    guard let bytes = place(of: name).flatMap({ [UInt8](hexadecimalDigits: line[$0]) }),
      bytes.count == SHA256Hash.byteCount
    else { return nil }
    return bytes
  }

  func base64(_ name: String) -> [UInt8]? {
    text(name).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
  }

  func replacing(_ name: String, with value: String) -> [UInt8] {
    guard let place = place(of: name) else { return line }
    return line[..<place.lowerBound] + Array(value.utf8) + line[place.upperBound...]
  }

  var event: NewEvent? {
    guard let kind = number("kind", UInt16.self), let version = number("version", UInt16.self),
      let flags = number("flags", UInt32.self), let time = number("time", Int64.self),
      let subject = id("subject"), let cause = number("cause", UInt64.self),
      let payload = base64("payload"), let attachment = base64("attachment")
    else { return nil }
    return NewEvent(
      kind: EventKind(rawValue: kind), version: version, flags: flags,
      time: Timestamp(nanosecondsSinceEpoch: time), subject: subject,
      cause: Position(rawValue: cause), payload: payload, attachment: attachment)
  }
}
