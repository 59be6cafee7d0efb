import Foundation
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Backups of ledgers.
@Suite(.timeLimit(.minutes(10)))
struct BackupTests {
  private static let tables = ["entities", "parts", "open", "tombstones", "blob", "meta"]

  @Test(arguments: [
    [], [CompactionPolicy.foldOnly], [LedgerCompactionTests.everything],
  ])
  func everyRecordIsCopied(policies: [CompactionPolicy]) async throws {
    let ledger = try await CompactedLedger(policies)
    let target = ledger.path + ".backup"
    let original = try BlockingInspector(at: ledger.path)
    let backup = try original.backUp(to: target) {}
    let copy = try BlockingInspector(at: target)
    #expect(try backup.position == original.head && backup.ledgerID == original.id)
    #expect(try backup.logDigest == original.logDigest() && copy.archive() == original.archive())
    original.close()
    for table in Self.tables {
      let left = try ledger.entries(of: table).map { [$0.key, $0.value] }
      let right = try CompactedLedger.entries(of: table, at: target).map { [$0.key, $0.value] }
      #expect(left == right, "\(table)")
    }
    _ = try copy.verify { Issue.record("\($0)") }
    let size = try FileSystem.fileSize(IntactOracle.dataFile(target))
    #expect(size == backup.sizeInBytes)
  }

  @Test func aBackupOfALedgerInUseEndsItsSessionsWhenItIsOpened() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: Int.self)
    let inspector = try await Ledger.inspect(at: temporary.path)
    let backup = try await inspector.backUp(to: temporary.path + ".backup")
    try await promise.fulfill(1)
    #expect(try await inspector.head == backup.position.advanced(by: 1))
    let restored = try await Ledger.open(at: temporary.path + ".backup", as: .app)
    let record = try await restored.record(of: promise.id)
    #expect(record?.status == .pending)
    let sessions = try await restored.openSessions()
    #expect(sessions.count == 1)
    await restored.close()
    await ledger.close()
  }

  @Test func nothingIsLeftOfABackupOfADamagedLedger() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    var damaged = try ledger.entries(of: "blob")[0]
    damaged.value[100] ^= 1
    try ledger.put(damaged.value, forKey: damaged.key, in: "blob")
    let inspector = try BlockingInspector(at: ledger.path)
    let error = #expect(throws: LedgerError.self) {
      try inspector.backUp(to: ledger.path + ".backup") {}
    }
    #expect(error?.code == .corrupt)
    #expect(try FileSystem.list(FileSystem.parent(of: ledger.path)) == ["ledger"])
  }

  @Test func aBackupThatIsCanceledLeavesNothing() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    let inspector = try BlockingInspector(at: ledger.path)
    for limit in 0..<8 {
      var count = 0
      #expect(throws: CancellationError.self) {
        try inspector.backUp(to: ledger.path + ".backup") {
          count += 1
          if count > limit { throw CancellationError() }
        }
      }
      #expect(try FileSystem.list(FileSystem.parent(of: ledger.path)) == ["ledger"])
    }
  }

  @Test func placesThatCannotBeUsedAreRefused() async throws {
    let ledger = try await CompactedLedger([])
    let inspector = try BlockingInspector(at: ledger.path)
    let link = ledger.path + ".link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: ledger.path)
    for (target, code) in [
      (ledger.path + "/backup", LedgerError.Code.invalidArgument),
      (ledger.path + "/sessions/backup", .invalidArgument), (link + "/backup", .invalidArgument),
      (ledger.path, .alreadyExists), (ledger.path + "/CURRENT", .alreadyExists),
      (ledger.path + "-none/backup", .notFound), ("", .invalidArgument),
    ] {
      let error = #expect(throws: LedgerError.self) { try inspector.backUp(to: target) {} }
      #expect(error?.code == code, "\(target)")
    }
    _ = try inspector.verify { Issue.record("\($0)") }
  }
}
