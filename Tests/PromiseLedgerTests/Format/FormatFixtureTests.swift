import Foundation
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Ledgers that earlier builds wrote stay readable: a fixture of each format version is kept, as
/// `ledger-worker fixture` made it then, with its export.
@Suite(.timeLimit(.minutes(10))) struct FormatFixtureTests {
  private static let versions = [1]

  static func copy(_ version: Int) throws -> TemporaryLedger {
    try FixtureFiles.copy("format-\(version)")
  }

  private static func archive(_ version: Int) throws -> [UInt8] {
    try FixtureFiles.bytes("format-\(version).jsonl")
  }

  @Test(arguments: versions)
  func everythingIsRead(version: Int) throws {
    let ledger = try Self.copy(version)
    let inspector = try BlockingInspector(at: ledger.path)
    #expect(inspector.formatVersion == UInt32(version))
    var findings: [VerificationFinding] = []
    let summary = try inspector.verify { findings.append($0) }
    #expect(findings == [])
    #expect(summary.recordCount == 32)
    #expect(try inspector.archive() == Self.archive(version))
  }

  @Test(arguments: versions)
  func itsArchiveIsImported(version: Int) throws {
    let target = try TemporaryLedger()
    let archive = try ArchiveFile(Self.archive(version))
    _ = try LedgerImport().makeLedger(at: target.path, from: archive.path)
    #expect(try BlockingInspector(at: target.path).archive() == Self.archive(version))
  }

  /// The promises of that version are still kept, also when a new build writes.
  @Test(arguments: versions)
  func itIsWrittenOnAndCompacted(version: Int) async throws {
    let temporary = try Self.copy(version)
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let open = try await ledger.unconsumedPromises()
    #expect(open.count(where: { $0.status == .pending }) == 12)
    let large = try #require(open.first { $0.label == "old, large" })
    let text = String(repeating: "large ", count: 1_500)
    #expect(try await ledger.promise(id: large.id, of: String.self).consume() == text)
    let rejected = try #require(open.first { $0.label == "recent, rejected" })
    let failure = await #expect(throws: PromiseFailure.self) {
      try await ledger.promise(id: rejected.id, of: String.self).consume()
    }
    #expect("\(failure as Any)".contains("Only owners may change this."))
    let removed: DurablePromise<String> = try ledger.promise(
      id: PromiseKey("old key").promiseID, of: String.self)
    let error = await #expect(throws: LedgerError.self) { try await removed.consume() }
    #expect(error?.code == .recordRemoved)
    #expect(try await ledger.unfinishedCalls().count == 3)
    _ = try await ledger.compact(CompactionSample.everything)
    await ledger.close()
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: temporary.path).verify { findings.append($0) }
    #expect(findings == [])
  }
}
