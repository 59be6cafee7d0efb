import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger
@testable import PromiseLedgerTesting

/// Proving that a history replays to one state.
@Suite(.timeLimit(.minutes(10)))
struct ReplayVerifierTests {
  /// An archive of a random history.
  private static func archive(seed: UInt64, groupCount: Int) throws -> ArchiveFile {
    var writer = RandomLedger(seed: seed)
    for _ in 0..<groupCount { writer.writeGroup() }
    let store = InMemoryEventStore(ledgerID: try #require(writer.ledger.state.ledgerID))
    try writer.ledger.write(to: store)
    var archive = ArchiveWriter(
      of: store.ledgerID, createdAt: store.createdAt, SnapshotSummary(), through: try store.head())
    var bytes: [UInt8] = []
    while let piece = try archive.next(from: store) { bytes += piece }
    return try ArchiveFile(bytes)
  }

  @Test(arguments: TestAmount.seeds(20))
  func aRandomHistoryReplaysToOneState(seed: UInt64) throws {
    let file = try Self.archive(seed: seed, groupCount: 12)
    let verifier = ReplayVerifier(.archives([file.path]))
    let verification = try verifier.run()
    #expect(verification.snapshotCount == Int(verification.position.rawValue), "every position")
    let expected = StateDigest("\(verification.stateDigest)")
    #expect(try verifier.run(expecting: expected) == verification)
  }

  /// The history is that of a ledger on the server, where also all copies are.
  @Test(.enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"))
  func aLedgerOnPostgreSQLReplaysToOneState() async throws {
    let ledger = try await CompactedLedger([])
    try Self.checkOnPostgreSQL(ArchiveFile(BlockingInspector(at: ledger.path).archive()))
  }

  private static func checkOnPostgreSQL(_ original: ArchiveFile) throws {
    let onServer = PostgreSQLCopies(server: try TestServer.shared.get())
    try onServer.makeLedger("original", from: [original.path])
    let file = try ArchiveFile(onServer.inspect("original").archive())
    var verifiers = [original, file].map { ReplayVerifier(.archives([$0.path])) }
    for index in verifiers.indices { verifiers[index].maximumSnapshotCount = 20 }
    verifiers[1].makeCopies = { _ in PostgreSQLCopies(server: onServer.server) }
    #expect(try verifiers[1].run() == verifiers[0].run(), "as on LMDB")
  }

  @Test func aLedgerInUseIsVerifiedAndLeftAsItIs() async throws {
    let ledger = try await CompactedLedger([
      CompactionSample.everything, CompactionSample.events,
    ])
    let before = try BlockingInspector(at: ledger.path).archive()
    let open = try await ledger.temporary.open(
      configuration: CompactionSample.configuration())
    var verifier = ReplayVerifier(.ledger(ledger.path))
    verifier.maximumSnapshotCount = 3
    let verification = try verifier.run()
    #expect(verification.snapshotCount == 3)
    #expect(verification.logDigest == (try BlockingInspector(at: ledger.path).logDigest()))
    #expect(try before != BlockingInspector(at: ledger.path).archive(), "a session was opened")
    await open.close()
  }

  @Test func anotherDigestIsADifference() throws {
    let file = try Self.archive(seed: 77, groupCount: 5)
    let difference = #expect(throws: ReplayDifference.self) {
      try ReplayVerifier(.archives([file.path])).run(expecting: .empty)
    }
    #expect(difference?.check == .wholeReplay)
    #expect("\(try #require(difference))".contains("should be 00000000"))
  }

  @Test func anEventThatMakesNoSenseIsNamed() throws {
    var ledger = try CraftedLedger()
    try ledger.commit([
      .of(LedgerCreated(formatVersion: 0), on: .numbered(77)),
      .of(SessionOpened.sample(), on: SessionID.numbered(1).entityID),
      .of(PromiseConsumed(delivery: .recordedAfter), on: .numbered(3)),
    ])
    let error = #expect(throws: LedgerError.self) {
      try ReplayVerifier(.ledger(ledger.path)).run()
    }
    #expect(error?.message.contains("\(EntityID.numbered(3))") == true)
  }

  @Test func theFirstDifferenceIsFoundAndNamed() throws {
    let file = try Self.archive(seed: 5, groupCount: 30)
    let workshop = try Workshop()
    let reference = try Reference(of: [file.path], in: workshop, count: 5)
    try workshop.copies.makeLedger("other", from: [file.path])
    let other = try workshop.copies.openStore("other")
    defer { other.close() }
    var folder = Folder()
    _ = try folder.step(of: other, through: Position(rawValue: 20), limit: 100)
    try reference.compare(other, in: .snapshot)

    // A record that is whole, and of another state.
    let snapshot = try SnapshotReader(other)
    let list = try snapshot.entries(of: .promises)
    let id = try #require(list.first?.id)
    let promise = try #require(try snapshot.entity(id)?.promise)
    let changed = PromiseEntity(
      id: promise.id, created: promise.created,
      creationPayload: PromiseCreated(typeTag: "another").encoded, resolution: promise.resolution,
      closing: nil)
    var edit = SnapshotEdit(snapshot.summary)
    try edit.put(
      .promise(changed), replacing: SnapshotRecord.Stored(type: .promise, content: promise.content))
    try other.apply(edit, patience: Patience(.seconds(5)))
    let difference = #expect(throws: ReplayDifference.self) {
      try reference.compare(other, in: .snapshot)
    }
    #expect(difference?.position == Position(rawValue: 20))
    #expect(difference?.subject == id)
  }

  @Test func positionsAreSpreadEvenly() {
    func positions(_ first: UInt64, _ last: UInt64, _ count: Int) -> [UInt64] {
      Position.spread(
        after: Position(rawValue: first), through: Position(rawValue: last), count: count
      ).map(\.rawValue)
    }
    #expect(positions(0, 5, 100) == [1, 2, 3, 4, 5])
    #expect(positions(10, 20, 3) == [13, 16, 20])
    #expect(positions(7, 7, 3) == [7])
    #expect(positions(0, 9, 0) == [9])
  }
}
