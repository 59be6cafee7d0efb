import PromiseLedgerTesting
import Synchronization
import Testing

@testable import PromiseLedger

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A process that is killed at any commit of a compaction loses nothing, and the next one goes on.
@Suite(.serialized) struct CompactionKillTests {
  @Test(arguments: 1...16)
  func aCompactionThatIsKilledBeforeACommitIsGoneOnWith(commit: Int) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: LedgerCompactionTests.configuration())
    let ids = try await LedgerCompactionTests.fill(ledger, 40)
    let before = try await LedgerCompactionTests.records(ledger, ids)

    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = temporary.path as String, commit = commit as Int] in
      try await Self.compactAndDie(path, atCommit: commit)
    }

    try await check(ledger, ids, before, isOver: false)
    try await ledger.compact(LedgerCompactionTests.everything)
    try await check(ledger, ids, before, isOver: true)
    await ledger.close()
    let again = try await temporary.open(configuration: LedgerCompactionTests.configuration())
    try await check(again, ids, before, isOver: true)
    await again.close()
  }

  private static func compactAndDie(_ path: String, atCommit commit: Int) async throws {
    var configuration = LedgerCompactionTests.configuration("other")
    configuration.hooks.sliceEventCount = 25
    let counter = CommitCounter()
    configuration.hooks.beforeCommit = {
      if counter.next() == commit { kill(getpid(), SIGKILL) }
    }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    counter.arm()
    try await ledger.compact(LedgerCompactionTests.everything)
    kill(getpid(), SIGKILL)
  }

  private func check(
    _ ledger: Ledger, _ ids: [PromiseID], _ before: [PromiseRecord?], isOver: Bool
  ) async throws {
    let after = try await LedgerCompactionTests.records(ledger, ids)
    for (number, (old, new)) in zip(before, after).enumerated() {
      if old?.status == .consumed, new == nil {
        guard number % 2 == 0 else { continue }
        let error = await #expect(throws: LedgerError.self) {
          try await ledger.resolve(ids[number], with: .cancelled(reason: "late"))
        }
        #expect(error?.code == .compacted)
      } else {
        #expect(new == old)
        #expect(!isOver || old?.status != .consumed)
      }
    }
    _ = try SnapshotAudit(try await ledger.engine.openStore())
  }
}

/// Counts commits from a moment on.
private final class CommitCounter: Sendable {
  private let count = Mutex<Int?>(nil)

  func arm() { count.withLock { $0 = 0 } }

  func next() -> Int? {
    count.withLock { count in
      count = count.map { $0 + 1 }
      return count
    }
  }
}
