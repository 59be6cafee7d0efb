import Foundation
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A ledger that a later version of the library wrote and compacted is kept, with its export. It
/// has an entity, a list and layouts of records that this version does not know; see
/// ``LaterVersion``.
@Suite(.timeLimit(.minutes(10))) struct LaterVersionFixtureTests {
  private static func copy() throws -> TemporaryLedger {
    try FixtureFiles.copy("later-version")
  }

  private static func archive() throws -> [UInt8] {
    try FixtureFiles.bytes("later-version.jsonl")
  }

  private static func damage(at path: String) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    let summary = try BlockingInspector(at: path).verify { findings.append($0) }
    #expect(summary.unsupportedCount == LaterVersion.unknown.count)
    return findings.filter { $0.severity == .corrupt }
  }

  @Test func itIsReadAndExported() throws {
    let ledger = try Self.copy()
    #expect(try Self.damage(at: ledger.path) == [])
    #expect(try BlockingInspector(at: ledger.path).archive() == Self.archive())
  }

  @Test func itsArchiveIsImported() throws {
    let archive = try ArchiveFile(Self.archive())
    try LedgerImport().makeLedger(at: archive.target, from: archive.path)
    #expect(try Self.damage(at: archive.target) == [])
    #expect(try BlockingInspector(at: archive.target).archive() == Self.archive())
  }

  @Test func itIsListedWrittenOnAndFolded() async throws {
    let temporary = try Self.copy()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    #expect(try await ledger.handlers().count == 1)
    #expect(try await ledger.unfinishedCalls().isEmpty)
    let open = try await ledger.unconsumedPromises()
    let unknown = LaterVersion.unknown.map { PromiseID(entityID: $0.id) }
    #expect(Set(open.map(\.id)).isDisjoint(with: unknown))
    let promise = try #require(open.first { $0.status == .pending })
    try await ledger.promise(id: promise.id, of: Int.self, codec: .text).fulfill(1)
    let report = try await ledger.compact(CompactionSample.everything)
    #expect(report.problem == nil)
    #expect(report.foldedEvents > 0 && report.deletedEvents > 0 && report.removedRecords == 0)
    #expect(report.unsupportedRecords == LaterVersion.unknown.count)
    await ledger.close()
    #expect(try Self.damage(at: temporary.path) == [])
  }
}

extension PayloadCodec<Int> {
  /// The type of the promises of ``CreatePromise/init(_:deadline:effect:idempotencyKey:isStrict:)``.
  fileprivate static var text: PayloadCodec<Int> {
    PayloadCodec(typeTag: "text", encode: { Array("\($0)".utf8) }, decode: { _ in 1 })
  }
}
