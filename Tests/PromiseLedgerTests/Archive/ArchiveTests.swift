import LedgerBytes
import LedgerModelTestSupport
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct ArchiveTests {
  @Test func archiveIsTheSameEverywhere() throws {
    var ledger = try CraftedLedger()
    try ledger.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
    try ledger.commit([.raw(EventKind(rawValue: 999), version: 7, on: .numbered(3), payload: [255])]
    )
    let text = String(decoding: try BlockingInspector(at: ledger.path).archive(), as: UTF8.self)
    #expect(
      text == """
        {"type":"header","format":"promise-ledger-archive","version":1,"ledger":"01900000-004d-7000-8000-000000000001","createdAt":5,"basePosition":0,"baseDigest":"0000000000000000000000000000000000000000000000000000000000000000"}
        {"type":"event","position":1,"time":1000,"kind":1,"name":"ledgerCreated","version":1,"flags":0,"subject":"01900000-004d-7000-8000-000000000001","session":"01900002-0001-7000-8000-000000000001","commit":1,"cause":0,"payload":"AAAAAA==","attachment":""}
        {"type":"event","position":2,"time":1000,"kind":999,"name":"","version":7,"flags":0,"subject":"01900000-0003-7000-8000-000000000001","session":"01900002-0001-7000-8000-000000000001","commit":2,"cause":0,"payload":"/w==","attachment":""}
        {"type":"end","events":2,"records":0,"logDigest":"709a89bd943f2590073d5271279c14967d834392e205b24f7d287532eab54fad","sha256":"bbdd4d1c878edd78a0aca971c6b0d76c33a126b8d38ed2588f8ae5544441acc0"}

        """)
  }

  @Test func importedLedgerIsTheSame() throws {
    let ledger = try CraftedLedger.sample()
    let original = try BlockingInspector(at: ledger.path)
    let archive = try original.archive()
    let file = try ArchiveFile(archive)
    let summary = try LedgerImport().makeLedger(at: file.target, from: file.path)
    #expect(summary.eventCount == 110)
    #expect(summary.byteCount == archive.count)
    let copy = try BlockingInspector(at: file.target)
    #expect(copy.id == original.id && copy.createdAt == original.createdAt)
    #expect(summary.logDigest == (try original.logDigest()))
    #expect(try copy.archive() == archive)
    for (left, right) in zip(try original.history(), try copy.history()) {
      #expect(
        left.0.position == right.0.position && left.0.commit == right.0.commit, "\(left.0.position)"
      )
      #expect(left.0.record == right.0.record && left.1 == right.1, "\(left.0.position)")
    }
    let (before, after) = (try original.replayed(), try copy.replayed())
    #expect(before.promises.all == after.promises.all)
    #expect(before.sessions == after.sessions)
    #expect(before.blocked == after.blocked && before.blocked.count == 1)
  }

  /// A build that does not know a kind writes no name.
  @Test func namesMayBeMissing() throws {
    let ledger = try FormatFixtureTests.copy(1)
    let archive = try BlockingInspector(at: ledger.path).archive()
    let lines = String(decoding: archive, as: UTF8.self).split(separator: "\n")
    let last = try ArchiveLine(parsing: Array(try #require(lines.last).utf8))
    guard case .end(let end) = last else {
      Issue.record("\(last)")
      return
    }
    let nameless = lines.dropLast().map {
      $0.replacing(/"name":"[a-zA-Z]+"/, with: #""name":"""#) + "\n"
    }
    #expect(nameless.count(where: { $0.contains(#""name":"""#) }) > 32)
    let bytes = Array(nameless.joined().utf8)
    var hash = SHA256Hasher()
    hash.update(bytes.span)
    let sealed = ArchiveEnd(
      eventCount: end.eventCount, recordCount: end.recordCount, logDigest: end.logDigest,
      hash: hash.finish().bytes)
    let file = try ArchiveFile(bytes + ArchiveLine.end(sealed).text)
    try LedgerImport().makeLedger(at: file.target, from: file.path)
    #expect(try BlockingInspector(at: file.target).archive() == archive)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func randomHistoryComesBackTheSame(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var ledger = try CraftedLedger()
    let kinds = (0...80 as ClosedRange<UInt16>).map(EventKind.init).filter { $0 != .ledgerCreated }
    for number in 0..<Int.random(in: 0...12, using: &generator) {
      // No import takes events that precede their causes, or that create the ledger again.
      if number == 0 {
        try ledger.commit([.of(LedgerCreated(formatVersion: 0), on: .numbered(77))])
      }
      let position = try BlockingInspector(at: ledger.path).head.rawValue
      let events = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        NewEvent(
          kind: kinds.randomElement(using: &generator) ?? .promiseCreated,
          version: .random(in: 0...3, using: &generator),
          flags: generator.chance(1, of: 4) ? .random(in: 0 ... .max, using: &generator) : 0,
          time: .at(.random(in: .min ... .max, using: &generator)),
          subject: EntityID(high: generator.next(), low: generator.next()),
          cause: Position(rawValue: .random(in: 0...min(position, 9), using: &generator)),
          payload: generator.bytes(.random(in: 0...300, using: &generator)),
          attachment: generator.bytes(generator.chance(1, of: 8) ? 10_000 : 0))
      }
      try ledger.commit(events, by: .numbered(.random(in: 1...3, using: &generator)))
    }
    let archive = try BlockingInspector(at: ledger.path).archive()
    let file = try ArchiveFile(archive)
    // Verified, such events would be refused.
    _ = try LedgerImport().assemble(at: file.target, from: [file.path]) { _ in }
    #expect(try BlockingInspector(at: file.target).archive() == archive)
  }

  @Test func openLedgerExportsTheSameAsAnInspector() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let large = try await ledger.createPromise(of: [UInt8].self)
    try await large.fulfill([UInt8](repeating: 7, count: 20_000))
    for _ in 0..<300 { _ = try await ledger.createPromise(of: Int.self) }
    var archive: [UInt8] = []
    let summary = try await ledger.export { archive += $0 }
    #expect(summary.logDigest == (try await ledger.logDigest()))
    #expect(summary.eventCount == 304)
    await ledger.close()
    // Closing is the only event since.
    let inspector = try BlockingInspector(at: temporary.path)
    var writer = ArchiveWriter(
      of: inspector.id, createdAt: inspector.createdAt, SnapshotSummary(),
      through: Position(rawValue: 304))
    var inspected: [UInt8] = []
    while let piece = try writer.next(from: inspector.store) { inspected += piece }
    #expect(archive == inspected)
  }

  @Test func importedLedgerCanBeUsed() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: String.self)
    try await promise.fulfill("kept")
    await ledger.close()
    let file = try ArchiveFile(try BlockingInspector(at: temporary.path).archive())
    try importBlocking(file)
    let copy = try await file.temporary.open()
    #expect(copy.id == ledger.id)
    #expect(try await copy.promise(id: promise.id, of: String.self).consume() == "kept")
    await copy.close()
  }

  private func importBlocking(_ file: ArchiveFile) throws {
    try LedgerImport().makeLedger(at: file.target, from: file.path)
  }
}
