import LedgerBytes
import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Archives in which one field of one line was changed, with matching digests and counts: an import
/// refuses them, or makes a ledger in which verification finds nothing wrong.
@Suite(.timeLimit(.minutes(10))) struct ForgedFieldsTests {
  /// One in this many forgeries is imported; the seed chooses which.
  private static let stride = 27

  @Test(arguments: [1, 5] as [UInt64])
  func importedLedgersAreSound(seed: UInt64) throws {
    let ledger = try FormatFixtureTests.copy(1)
    try Self.check(BlockingInspector(at: ledger.path).archive(), seed: seed)
  }

  /// An archive without a snapshot.
  @Test func eventsThatAreImportedAreSound() async throws {
    let ledger = try await CompactedLedger([])
    try Self.check(BlockingInspector(at: ledger.path).archive(), seed: 3)
  }

  private static func check(_ archive: [UInt8], seed: UInt64) throws {
    let lines = try archive.split(separator: UInt8(ascii: "\n")).map {
      try ArchiveLine(parsing: Array($0))
    }
    #expect(try sealed(lines) == archive)
    var (accepted, refused) = (0, 0)
    var problems: [String] = []
    var forgeries = lines.indices.flatMap { place in
      Self.forgeries(of: lines[place]).map { (what: $0.what, place: place, line: $0.line) }
    }
    var generator = SeededGenerator(seed: seed)
    forgeries.shuffle(using: &generator)
    for forgery in forgeries.prefix(TestAmount.of(forgeries.count / stride)) {
      var forged = lines
      forged[forgery.place] = forgery.line
      let name = "line \(forgery.place + 1), \(forgery.what)"
      let file = try ArchiveFile(try sealed(forged))
      do throws(LedgerError) {
        try LedgerImport().makeLedger(at: file.target, from: file.path)
      } catch {
        refused += 1
        let isRefusal = error.code == .corrupt || error.code == .invalidArgument
        if !isRefusal { problems.append("\(name): \(error)") }
        if try file.neighbours() != [] { problems.append("\(name): something is left") }
        continue
      }
      accepted += 1
      _ = try BlockingInspector(at: file.target).verify { finding in
        if finding.severity == .corrupt { problems.append("\(name): \(finding.message)") }
      }
    }
    print("seed \(seed): \(refused) forgeries refused, \(accepted) accepted")
    #expect(problems.prefix(30) == [])
    #expect(refused > 0 && accepted > 0)
  }

  // MARK: Forging

  private typealias Forgery = (what: String, line: ArchiveLine)

  private static func forgeries(of line: ArchiveLine) -> [Forgery] {
    switch line {
    case .header(let header): forgeries(of: header)
    case .snapshot(let snapshot): forgeries(of: snapshot)
    case .record(let record): forgeries(of: record)
    case .attachment(let attachment):
      changes(of: attachment.content).map { what, content in
        ("content \(what)", .attachment(.init(position: attachment.position, content: content)))
      }
    case .tombstone(let id): [("id", .tombstone(EntityID(high: id.high, low: id.low ^ 4)))]
    case .event(let event): forgeries(of: event)
    case .recording, .state, .end: []
    }
  }

  private static func forgeries(of header: ArchiveHeader) -> [Forgery] {
    var (ledger, time, base) = (header, header, header)
    ledger.ledgerID = LedgerID(entityID: .numbered(5))
    time.createdAt = .at(header.createdAt.nanosecondsSinceEpoch ^ 1)
    base.base = LogDigest(position: header.base.position.advanced(by: 1), bytes: header.base.bytes)
    return [("ledger", .header(ledger)), ("time", .header(time)), ("base", .header(base))]
  }

  private static func forgeries(of snapshot: ArchivedSnapshot) -> [Forgery] {
    var forgeries: [Forgery] = []
    func add(_ what: String, _ change: (inout ArchivedSnapshot) -> Void) {
      var forged = snapshot
      change(&forged)
      forgeries.append((what, .snapshot(forged)))
    }
    for step in [-1, 1] as [Int64] {
      add("time") { $0.time = .at(snapshot.time.nanosecondsSinceEpoch + step) }
      add("horizon") { $0.horizon.position = snapshot.horizon.position.moved(by: step) }
      add("horizon time") {
        $0.horizon.time = .at(snapshot.horizon.time.nanosecondsSinceEpoch &+ step)
      }
      add("position") {
        $0.log = LogDigest(position: snapshot.log.position.moved(by: step), bytes: $0.log.bytes)
      }
    }
    return forgeries
  }

  private static func forgeries(of record: ArchivedRecord) -> [Forgery] {
    var other = record
    other.id = EntityID(high: record.id.high, low: record.id.low ^ 4)
    var forgeries: [Forgery] = [("id", .record(other))]
    for kind in EntityKind.allCases where RecordType(kind) != record.type {
      other = record
      other.type = RecordType(kind)
      forgeries.append(("kind", .record(other)))
    }
    for (what, content) in changes(of: record.content) {
      other = record
      other.content = content
      forgeries.append(("content \(what)", .record(other)))
    }
    return forgeries
  }

  private static func forgeries(of event: ArchivedEvent) -> [Forgery] {
    var forgeries: [Forgery] = []
    func add(_ what: String, _ change: (inout ArchivedEvent) -> Void) {
      var forged = event
      change(&forged)
      forgeries.append((what, .event(forged)))
    }
    let number = event.commit.number
    for step in [-1, 1] as [Int64] {
      add("position") { $0.position = event.position.moved(by: step) }
      add("time") { $0.time = .at(event.time.nanosecondsSinceEpoch + step) }
      add("cause") { $0.cause = event.cause.moved(by: step) }
      add("kind") { $0.kind = EventKind(rawValue: UInt16(Int64(event.kind.rawValue) + step)) }
      add("commit") {
        $0.commit = CommitID(
          session: event.commit.session, number: UInt64(bitPattern: Int64(number) + step))
      }
    }
    add("version") { $0.version += 1 }
    add("flags") { $0.flags ^= 1 }
    add("session") { $0.commit = CommitID(session: .numbered(7), number: number) }
    add("subject") { $0.subject = .numbered(9) }
    for (what, payload) in changes(of: event.payload) {
      add("payload \(what)") { $0.payload = payload }
    }
    for (what, attachment) in changes(of: event.attachment) {
      add("attachment \(what)") { $0.attachment = attachment }
    }
    return forgeries
  }

  /// Bytes changed here and there, cut off, and added.
  private static func changes(of bytes: [UInt8]) -> [(what: String, bytes: [UInt8])] {
    guard !bytes.isEmpty else { return [("one byte", [1])] }
    var changes = [("longer", bytes + [0]), ("shorter", Array(bytes.dropLast()))]
    for part in 0..<5 {
      let place = part * (bytes.count - 1) / 4
      var changed = bytes
      changed[place] ^= 1 << UInt8(part)
      changes.append(("byte \(place)", changed))
    }
    return changes
  }

  // MARK: Sealing

  /// The lines with digests, counts and a last line that fit them.
  private static func sealed(_ lines: [ArchiveLine]) throws -> [UInt8] {
    var (eventCount, recordCount) = (0, 0)
    var state = StateDigest.empty
    var digest = LogDigest.start
    var snapshot: (place: Int, content: ArchivedSnapshot)?
    for (place, line) in lines.enumerated() {
      switch line {
      case .header(let header): digest = header.base
      case .snapshot(let content): snapshot = (place, content)
      case .record(let record):
        recordCount += 1
        state.add(record.type, record.id, record.content)
      case .tombstone(let id): state.addTombstone(id)
      case .event(let event):
        eventCount += 1
        // Where another must come, there is no digest to fit.
        guard event.position == digest.position.advanced(by: 1) else { continue }
        digest = digest.adding(try event.stored, attachment: event.attachment)
        if digest.position == snapshot?.content.log.position { snapshot?.content.log = digest }
      case .attachment, .recording, .state, .end: break
      }
    }
    var lines = lines
    if var snapshot {
      snapshot.content.stateDigest = state
      lines[snapshot.place] = .snapshot(snapshot.content)
    }
    var (bytes, hash) = ([UInt8](), SHA256Hasher())
    for line in lines {
      if case .end = line { continue }
      hash.update(line.text.span)
      bytes += line.text
    }
    let end = ArchiveEnd(
      eventCount: eventCount, recordCount: recordCount, logDigest: digest.bytes,
      hash: hash.finish().bytes)
    return bytes + ArchiveLine.end(end).text
  }
}

extension Position {
  fileprivate func moved(by step: Int64) -> Position {
    Position(rawValue: UInt64(bitPattern: Int64(bitPattern: rawValue) &+ step))
  }
}
