import Foundation
import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Backups of ledgers.
@Suite(.timeLimit(.minutes(10)))
struct BackupTests {
  private static let tables = ["entities", "parts", "open", "tombstones", "blob", "meta"]

  @Test(arguments: [
    [], [CompactionPolicy.foldOnly], [CompactionSample.everything],
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

  /// The first sign of life comes from the check of the pages, before anything is written.
  @Test func theCheckOfThePagesCanBeCanceled() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    let inspector = try BlockingInspector(at: ledger.path)
    var names: [[String]] = []
    #expect(throws: CancellationError.self) {
      try inspector.backUp(to: ledger.path + ".backup") {
        names.append(try FileSystem.list(FileSystem.parent(of: ledger.path)))
        throw CancellationError()
      }
    }
    #expect(names == [["ledger"]])
  }

  /// A session that needs the file for itself does not wait until all is copied.
  @Test func aBackupGivesWayToASessionOfItsProcess() async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    let inspector = try BlockingInspector(at: ledger.path)
    let target = ledger.path + ".backup"
    let (backup, hasStartedOver) = try backUp(inspector, to: target, besideSessionAt: ledger.path)
    #expect(hasStartedOver)
    #expect(try backup.position == inspector.head)
    #expect(try BlockingInspector(at: target).archive() == inspector.archive())
  }

  /// Opens a session while the backup copies.
  private func backUp(
    _ inspector: BlockingInspector, to target: String, besideSessionAt path: String
  ) throws -> (LedgerBackup, hasStartedOver: Bool) {
    let store = try #require(inspector.store as? LMDBInspection)
    let environment = try store.readingEnvironment { $0 }
    let opened = Mutex<LMDBEventStore?>(nil)
    var session: SystemThread?
    var hasStartedOver = false
    let backup = try inspector.backUp(to: target) {
      let isCopying = try FileSystem.list(FileSystem.parent(of: path)).count > 1
      hasStartedOver = hasStartedOver || session != nil && !isCopying
      guard session == nil, isCopying else { return }
      session = try SystemThread.start(name: "session") {
        let options = StoreOptions(sizeLimit: 1 << 30)
        opened.withLock {
          $0 = try? LMDBEventStore(opening: LedgerDirectory(path), options: options)
        }
      }
      while !environment.isAwaited { _ = WakeSemaphore().wait(timeout: .milliseconds(1)) }
    }
    try #require(session).join()
    try #require(opened.withLock { $0 }).close()
    return (backup, hasStartedOver)
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
