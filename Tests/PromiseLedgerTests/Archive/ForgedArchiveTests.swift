import LedgerBytes
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Archives with good hashes of which no ledger can be made that works.
@Suite(.timeLimit(.minutes(10)))
struct ForgedArchiveTests {
  /// An export with a snapshot, and events before and after its position.
  private static let archive = Task {
    let ledger = try await CompactedLedger([CompactionSample.events, .foldOnly])
    return try BlockingInspector(at: ledger.path).archive()
  }

  private static func lines() async throws -> [ArchiveLine] {
    try await archive.value.split(separator: UInt8(ascii: "\n")).map {
      try ArchiveLine(parsing: Array($0))
    }
  }

  /// Imports the lines, with a last one that fits.
  private static func failure(
    of lines: [ArchiveLine], sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LedgerError? {
    var (bytes, hash) = ([UInt8](), SHA256Hasher())
    var (digest, eventCount, recordCount) = (LogDigest.start, 0, 0)
    for line in lines {
      switch line {
      case .header(let header): digest = header.base
      case .record: recordCount += 1
      case .event(let event):
        eventCount += 1
        digest = digest.adding(try event.stored, attachment: event.attachment)
      case .end: continue
      default: break
      }
      hash.update(line.text.span)
      bytes += line.text
    }
    let end = ArchiveEnd(
      eventCount: eventCount, recordCount: recordCount, logDigest: digest.bytes,
      hash: hash.finish().bytes)
    let file = try ArchiveFile(bytes + ArchiveLine.end(end).text)
    let error = #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
      try LedgerImport().makeLedger(at: file.target, from: file.path)
    }
    #expect(error?.code == .corrupt, sourceLocation: sourceLocation)
    #expect(try file.neighbours() == [], sourceLocation: sourceLocation)
    return error
  }

  @Test func aHorizonBehindTheSnapshotIsFound() async throws {
    var lines = try await Self.lines()
    guard case .snapshot(var snapshot) = lines[1] else { throw Missing.line }
    snapshot.horizon.position = snapshot.log.position.advanced(by: 1)
    lines[1] = .snapshot(snapshot)
    #expect(try Self.failure(of: lines)?.message.contains("its horizon comes after") == true)
  }

  @Test func aSnapshotWithoutEventsIsFound() async throws {
    var lines = try await Self.lines()
    guard case .header(var header) = lines[0], case .snapshot(var snapshot) = lines[1] else {
      throw Missing.line
    }
    snapshot = ArchivedSnapshot(
      log: header.base, time: snapshot.time, stateDigest: .empty,
      horizon: SnapshotSummary.Horizon())
    lines = [.header(header), .snapshot(snapshot)]
    #expect(try Self.failure(of: lines)?.message.contains("no event follows") == true)
    header.base = LogDigest(position: Position(rawValue: .max), bytes: header.base.bytes)
    snapshot.log = header.base
    lines = [.header(header), .snapshot(snapshot)]
    #expect(try Self.failure(of: lines)?.message.contains("more events") == true)
  }

  @Test func aTombstoneOfARecordIsFound() async throws {
    var lines = try await Self.lines()
    let place = try #require(lines.lastIndex { if case .record = $0 { true } else { false } })
    guard case .snapshot(var snapshot) = lines[1], case .record(let record) = lines[place] else {
      throw Missing.line
    }
    snapshot.stateDigest.addTombstone(record.id)
    lines[1] = .snapshot(snapshot)
    let events = try #require(lines.firstIndex { if case .event = $0 { true } else { false } })
    lines.insert(.tombstone(record.id), at: events)
    #expect(try Self.failure(of: lines)?.message.contains("has the id of a record") == true)
  }

  @Test func aCreationOfAnotherLedgerIsFound() throws {
    var lines = try Self.eventLines()
    guard case .header(var header) = lines[0] else { throw Missing.line }
    header.ledgerID = LedgerID(entityID: .numbered(78))
    lines[0] = .header(header)
    #expect(try Self.failure(of: lines)?.message.contains("it creates a ledger other") == true)
  }

  /// - Parameter isKept: Whether the event whose value two records own is in the archive.
  @Test(arguments: [true, false]) func aValueWithTwoOwnersIsFound(isKept: Bool) async throws {
    var lines = try await Self.lines()
    let (place, record) = try Self.owner(in: lines, isKept: isKept)
    var other = try Self.withoutKey(record)
    other.id = EntityID(high: record.id.high, low: record.id.low &+ 1)
    lines.insert(.record(other), at: isKept ? place + 1 : place + 2)
    if !isKept { lines.insert(lines[place + 1], at: place + 3) }
    #expect(try Self.failure(of: lines)?.message.contains("has another owner") == true)
  }

  @Test func aValueOfAnotherEntityIsFound() async throws {
    var lines = try await Self.lines()
    var (place, record) = try Self.owner(in: lines, isKept: true)
    record = try Self.withoutKey(record)
    record.id = EntityID(high: record.id.high, low: record.id.low &+ 1)
    lines[place] = .record(record)
    #expect(try Self.failure(of: lines)?.message.contains("belongs to another entity") == true)
  }

  @Test func aRecordWhoseIDIsNotThatOfItsKeyIsFound() async throws {
    for (place, line) in try await Self.lines().enumerated() {
      guard case .record(var record) = line else { continue }
      let entity = try LedgerEntity(type: record.type, id: record.id, content: record.content)
      guard entity.isKeyed, entity.attachments.isEmpty else { continue }
      var lines = try await Self.lines()
      record.id = EntityID(high: record.id.high, low: record.id.low ^ 1)
      lines[place] = .record(record)
      let message = try Self.failure(of: lines)?.message
      #expect(message?.contains("its id does not follow from its key") == true, "line \(place + 1)")
      return
    }
    throw Missing.line
  }

  // MARK: Events

  /// The archive of a ledger with its creation, a session and a promise.
  private static func eventLines() throws -> [ArchiveLine] {
    var ledger = try CraftedLedger()
    try ledger.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
      .of(PromiseCreated(typeTag: "text"), on: PromiseID.numbered(1).entityID),
    ])
    let bytes = try BlockingInspector(at: ledger.path).archive()
    return try bytes.split(separator: UInt8(ascii: "\n")).map {
      try ArchiveLine(parsing: Array($0))
    }
  }

  @Test func eventsThatCannotStandWhereTheyDoAreFound() throws {
    let lines = try Self.eventLines()
    guard case .event(let creation) = lines[1], case .event(let last) = lines[3] else {
      throw Missing.line
    }
    var (first, second, effect) = (last, creation, last)
    first.position = creation.position
    second.position = last.position
    effect.cause = effect.position
    for (changed, message) in [
      (first, "A promiseCreated event cannot be at position 1."),
      (second, "A ledgerCreated event cannot be at position 3."),
      (effect, "Its cause is at position 3, which does not come before it."),
    ] {
      var forged = lines
      forged[Int(changed.position.rawValue)] = .event(changed)
      #expect(try Self.failure(of: forged)?.message.contains(message) == true)
    }
  }

  /// The record without its key, whose id may be any.
  private static func withoutKey(_ record: ArchivedRecord) throws -> ArchivedRecord {
    let entity = try LedgerEntity(type: record.type, id: record.id, content: record.content)
    guard case .promise(let promise) = entity else { return record }
    let creation = try promise.creation()
    let changed = PromiseEntity(
      id: promise.id, created: promise.created,
      creationPayload: PromiseCreated(typeTag: creation.typeTag, tags: creation.tags).encoded,
      resolution: promise.resolution, closing: promise.closing)
    return ArchivedRecord(
      type: record.type, id: record.id, content: LedgerEntity.promise(changed).content)
  }

  /// A record that owns one value.
  private static func owner(
    in lines: [ArchiveLine], isKept: Bool
  ) throws -> (place: Int, record: ArchivedRecord) {
    guard case .header(let header) = lines[0] else { throw Missing.line }
    for (place, line) in lines.enumerated() {
      guard case .record(let record) = line else { continue }
      let entity = try LedgerEntity(type: record.type, id: record.id, content: record.content)
      guard let value = entity.attachments.first, entity.attachments.count == 1 else { continue }
      if (value.position > header.base.position) == isKept { return (place, record) }
    }
    throw Missing.line
  }

  private enum Missing: Error {
    case line
  }
}
