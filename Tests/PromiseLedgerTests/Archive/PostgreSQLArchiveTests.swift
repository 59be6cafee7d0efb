import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger
@testable import PromiseLedgerPostgreSQL

/// Archives that go from one kind of store to the other and back.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct PostgreSQLArchiveTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  /// With all events; with a snapshot and what came after its events, which are deleted; and with records removed.
  private static let policies = [
    [], [CompactionSample.events],
    [CompactionSample.events, CompactionSample.everything],
  ]

  @Test(arguments: policies.indices)
  func aLedgerComesBackFromPostgreSQLTheSame(policies: Int) async throws {
    let original = try await CompactedLedger(Self.policies[policies])
    try compareArchives(of: original)
  }

  private func compareArchives(of original: CompactedLedger) throws {
    let first = try BlockingInspector(at: original.path)
    let place = try server.makePlace()
    try Self.check(first)
    let there = try ArchiveFile(first.archive())
    let summary = try LedgerImport().makeLedger(at: place, from: [there.path])
    let second = BlockingInspector(try PostgreSQLInspection(place))
    #expect(second.id == first.id && second.createdAt == first.createdAt)
    #expect(summary.logDigest == (try first.logDigest()))
    try Self.check(second)
    let back = try ArchiveFile(second.archive())
    try LedgerImport().makeLedger(at: back.target, from: back.path)
    let third = try BlockingInspector(at: back.target)
    try Self.check(third)
    for copy in [second, third] {
      #expect(try copy.archive() == first.archive())
      #expect(try copy.digests() == first.digests())
    }
    let digest = try #require(try second.digests().state)
    var verifier = ReplayVerifier(.archives([back.path]))
    verifier.maximumSnapshotCount = 10
    #expect(try verifier.run(expecting: digest).logDigest == first.logDigest())
  }

  private static func check(_ inspector: BlockingInspector) throws {
    let summary = try inspector.verify { finding in
      Issue.record("\(finding.position.map { "\($0)" } ?? ""): \(finding.message)")
    }
    #expect(summary.corruptCount == 0)
  }

  @Test func whatAnImportLeavesWhenItDiesGoesWithTheNext() async throws {
    let original = try await CompactedLedger([CompactionSample.events])
    try importAfterDeadImports(BlockingInspector(at: original.path).archive())
  }

  private func importAfterDeadImports(_ archive: [UInt8]) throws {
    let place = try server.makePlace()
    // Damaged near its end, so that much is written before.
    var damaged = archive
    damaged[damaged.count - 100] ^= 1
    let file = try ArchiveFile(damaged)
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: place, from: [file.path])
    }
    #expect(error?.code == .corrupt)
    #expect(try server.rowCount(of: place) == 0)
    try server.leaveUnfinishedImport(of: place)
    for open in [{ _ = try PostgreSQLInspection(place) }, { _ = try place.openStore(.sample) }] {
      let error = #expect(throws: LedgerError.self) { try open() }
      #expect(error?.code == .sealed)
    }
    let whole = try ArchiveFile(archive)
    try LedgerImport().makeLedger(at: place, from: [whole.path])
    #expect(try BlockingInspector(PostgreSQLInspection(place)).archive() == archive)
    let again = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: place, from: [whole.path])
    }
    #expect(again?.code == .alreadyExists)
  }

  /// The server ends a connection that sends too much at once. A snapshot is refused as events are.
  @Test(arguments: policies.indices)
  func anImportOfTooMuchAtOnceIsRefused(policies: Int) async throws {
    let original = try await CompactedLedger(Self.policies[policies])
    try importTooMuch(BlockingInspector(at: original.path).archive())
  }

  private func importTooMuch(_ archive: [UInt8]) throws {
    var place = try server.makePlace()
    place.largestCommitByteCount = 100
    let file = try ArchiveFile(archive)
    let error = #expect(throws: LedgerError.self) {
      try LedgerImport().makeLedger(at: place, from: [file.path])
    }
    #expect(error?.code == .payloadTooLarge)
    #expect(try server.rowCount(of: place) == 0)
  }

  @Test(arguments: ["head = head + 1", "head = head - 1", "last_commit = last_commit + 1"])
  func aRowThatContradictsTheLogIsFound(change: String) throws {
    let place = try server.makePlace()
    try PostgreSQLWriter(place).append()
    try server.damageRow(of: place, change)
    var findings: [String] = []
    _ = try BlockingInspector(PostgreSQLInspection(place)).verify { findings.append($0.message) }
    #expect(findings.contains { $0.contains("row of the ledger") }, "\(findings)")
  }

  @Test func anInspectionWritesNothingAndFollowsTheLedger() async throws {
    let place = try server.makePlace()
    let ledger = try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
    let promise = try await ledger.createPromise(of: String.self)
    let inspector = try await Ledger.inspect(place)
    #expect(try await inspector.verify { _ in }.corruptCount == 0)
    let before = try await inspector.digests().state
    try await promise.fulfill("seen")
    #expect(try await inspector.digests().state == ledger.state().digest())
    #expect(try await inspector.digests().state != before)
    await ledger.close()
    inspector.close()
    let missing = try server.makePlace()
    let error = await #expect(throws: LedgerError.self) { try await Ledger.inspect(missing) }
    #expect(error?.code == .notFound)
  }
}

extension LedgerMetadata {
  fileprivate static let sample = LedgerMetadata(
    ledgerID: LedgerID(entityID: .numbered(1)), createdAt: .at(0))
}
