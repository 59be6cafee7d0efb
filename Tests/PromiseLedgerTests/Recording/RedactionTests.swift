import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Redacted recordings: they say nothing of what was redacted, and everything else.
@Suite(.timeLimit(.minutes(10)))
struct RedactionTests {
  private static func redacted(
    _ inspector: BlockingInspector, salt: UInt8 = 1
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let redactor = Redactor(salt: [UInt8](repeating: salt, count: Redactor.saltByteCount))
    _ = try inspector.record(redactedBy: redactor) { bytes += $0 }
    return bytes
  }

  @Test func everyKindOfEventCanBeRedacted() {
    for kind in EventKind.all {
      #expect(kind.payload is any RedactablePayload.Type, "\(kind)")
    }
  }

  @Test(arguments: [false, true])
  func noEightBytesOfASecretAreInTheFile(isCompacted: Bool) async throws {
    let secrets = Secrets()
    let temporary = try TemporaryLedger(in: Scratch.path)
    try await secrets.write(to: temporary, isCompacted: isCompacted)
    let inspector = try BlockingInspector(at: temporary.path)
    let plain = try Contents(inspector.archive())
    let file = try Contents(Self.redacted(inspector))
    // The search finds what it looks for.
    let found = secrets.all.filter(plain.contains)
    #expect(found.count >= secrets.all.count - (isCompacted ? 4 : 0), "\(found)")
    for secret in secrets.all { #expect(!file.contains(anyEightBytesOf: secret), "\(secret)") }
    #expect(file.lines.contains { if case .record = $0 { true } else { false } } == isCompacted)
    #expect(try ReplayedFile(Self.redacted(inspector)).replay.divergences == [])
  }

  @Test(arguments: [false, true])
  func noEightBytesOfASecretAreInAnExport(isCompacted: Bool) async throws {
    let secrets = Secrets()
    let temporary = try TemporaryLedger(in: Scratch.path)
    try await secrets.write(to: temporary, isCompacted: isCompacted)
    let copy = try BlockingInspector(at: temporary.path).redacted(by: Redactor(secret: [1])) {}
    var bytes: [UInt8] = []
    try copy.export { bytes += $0 }
    let file = try Contents(bytes)
    for secret in secrets.all { #expect(!file.contains(anyEightBytesOf: secret), "\(secret)") }
    #expect(file.lines.contains { if case .record = $0 { true } else { false } } == isCompacted)
    #expect(try ReplayedFile(bytes).rebuilt.ledger.head() == copy.head)
  }

  /// Records with their large values, and events.
  @Test(arguments: [false, true])
  func anExcerptHasTheLinesOfItsEntities(isCompacted: Bool) async throws {
    let temporary = try TemporaryLedger(in: Scratch.path)
    try await Secrets().write(to: temporary, isCompacted: isCompacted)
    let inspector = try BlockingInspector(at: temporary.path)
    let all = try inspector.archive()
    let lines = try Contents(all).lines
    var owner: EntityID?
    let owners: [EntityID?] = lines.map { line in
      switch line {
      case .record(let record): owner = record.id
      case .event(let event): owner = event.subject
      case .attachment: break
      default: owner = nil
      }
      return owner
    }
    let texts = all.split(separator: UInt8(ascii: "\n")).map(Array.init)
    for id in Set(owners.compactMap { $0 }) {
      var excerpt: [UInt8] = []
      let tick = { () -> Void in }
      let (records, events) = try inspector.exportExcerpt(of: [id], tick: tick) { excerpt += $0 }
      let kept = excerpt.split(separator: UInt8(ascii: "\n")).map(Array.init)
      let wanted = zip(texts, owners).filter { $1 == id }.map(\.0)
      #expect(Array(kept.dropFirst().dropLast()) == wanted, "\(id)")
      let attachments = zip(lines, owners).count { line, owner in
        if case .attachment = line { owner == id } else { false }
      }
      #expect(records + events + attachments == wanted.count && wanted.count > 0)
    }
    let attachmentCount = lines.count { if case .attachment = $0 { true } else { false } }
    #expect((attachmentCount > 0) == isCompacted)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func structureStaysAndTheRecordingComparesWithItself(seed: UInt64) throws {
    let store = try Self.store(seed: seed)
    let inspector = BlockingInspector(store)
    let plain = try Contents(inspector.archive()).events
    let bytes = try Self.redacted(inspector)
    let events = try Contents(bytes).events
    #expect(events.count == plain.count)
    for (event, before) in zip(events, plain) {
      #expect(event.position == before.position && event.commit == before.commit)
      #expect(event.kind == before.kind && event.version == before.version)
      #expect(event.subject == before.subject && event.cause == before.cause)
      #expect(event.time == before.time && event.flags == before.flags)
      #expect(event.attachment.count == before.attachment.count)
    }
    let file = try ReplayedFile(bytes)
    #expect(file.replay.divergences == [], "seed \(seed)")
    #expect(file.rebuilt.recording?.isRedacted == true)
    #expect(try Self.redacted(inspector) == bytes, "the same salt gives the same")
    #expect(try Self.redacted(inspector, salt: 2) != bytes)
  }

  @Test func theSameGivesTheSameAndSizesStay() {
    let redactor = Redactor(salt: [7])
    for count in [0, 1, 5, 31, 32, 33, 1_000] {
      let content = [UInt8](repeating: 0xA5, count: count)
      #expect(redactor.bytes(content).count == count)
      #expect(redactor.bytes(content) == redactor.bytes(content))
      #expect(count < 5 || redactor.bytes(content) != Redactor(salt: [8]).bytes(content))
    }
    let short = Set((0..<1_000).map { redactor.identifier("\($0)") })
    #expect(short.count == 1_000, "texts that tell things apart stay apart")
  }

  /// A random ledger in memory.
  private static func store(seed: UInt64) throws -> InMemoryInspection {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<12 { writer.writeGroup() }
    let store = InMemoryEventStore(ledgerID: try #require(writer.ledger.state.ledgerID))
    try writer.ledger.write(to: store)
    let ledger = try store.withView { (view) throws(LedgerError) in view as? InMemoryLedger }
    return InMemoryInspection(
      try #require(ledger), LedgerMetadata(ledgerID: store.ledgerID, createdAt: store.createdAt))
  }
}

/// A recording that was read again.
struct ReplayedFile {
  let rebuilt: RebuiltRecording
  let replay: RecordingReplay

  init(_ bytes: [UInt8]) throws {
    let file = try ArchiveFile(bytes)
    rebuilt = try withExtendedLifetime(file) { try RebuiltRecording(file.path) }
    replay = try RecordingReplay(rebuilt)
  }
}

/// The bytes of an archive, with everything that is encoded in it.
private struct Contents {
  let lines: [ArchiveLine]
  private let windows: Set<ArraySlice<UInt8>>

  init(_ bytes: [UInt8]) throws {
    lines = try bytes.split(separator: UInt8(ascii: "\n")).map { line in
      try ArchiveLine(parsing: Array(line))
    }
    var windows: Set<ArraySlice<UInt8>> = []
    for content in [bytes] + lines.flatMap(\.contents) {
      for start in content.indices.dropLast(7) { windows.insert(content[start..<(start + 8)]) }
    }
    self.windows = windows
  }

  var events: [ArchivedEvent] {
    lines.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  func contains(anyEightBytesOf text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.indices.dropLast(7).contains { windows.contains(bytes[$0..<($0 + 8)]) }
  }
}

extension ArchiveLine {
  fileprivate var contents: [[UInt8]] {
    switch self {
    case .record(let record): [record.content]
    case .attachment(let attachment): [attachment.content]
    case .event(let event): [event.payload, event.attachment]
    default: []
    }
  }
}
