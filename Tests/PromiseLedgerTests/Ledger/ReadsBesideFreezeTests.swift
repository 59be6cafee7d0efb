import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import PromiseLedger

/// Reading while the store is taken away by a freeze.
@Suite(.timeLimit(.minutes(1))) struct ReadsBesideFreezeTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  @Test func aReadWhoseStoreIsClosedUnderItIsMadeAgainAfterTheFreeze() async throws {
    let ledger = try await temporary.open()
    _ = try await ledger.createPromise(of: Int.self)
    let head = try await ledger.catchUp()
    var attempts = 0
    let position = try await ledger.engine.withStore { (store) throws(LedgerError) in
      attempts += 1
      if attempts == 1 { freezeAndUnfreeze(ledger) }
      return try store.head()
    }
    #expect(attempts == 2)
    #expect(position == head.advanced(by: 2))
    await ledger.close()
  }

  @Test func aReadWhoseStoreIsClosedForGoodFails() async throws {
    let ledger = try await temporary.open()
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.engine.withStore { (store) throws(LedgerError) in
        let isClosed = WakeSemaphore()
        _ = ledger.engine.inbox.add(.close { isClosed.signal() })
        _ = isClosed.wait(timeout: .seconds(60))
        return try store.head()
      }
    }
    #expect(error?.code == .closed)
  }

  @Test func readersGoOnBesideManyFreezes() async throws {
    let ledger = try await temporary.open()
    let promise = try await ledger.createPromise(of: [UInt8].self)
    let value = [UInt8](repeating: 7, count: 9_000)
    try await promise.fulfill(value)
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            let outcome = try await promise.outcome
            #expect(outcome == .fulfilled(value))
          }
        }
      }
      group.addTask {
        for _ in 0..<20 {
          try await ledger.freeze()
          try await ledger.unfreeze()
        }
      }
      try await group.waitForAll()
    }
    await ledger.close()
  }

  /// Blocks until the writer thread did both.
  private func freezeAndUnfreeze(_ ledger: Ledger) {
    let isDone = WakeSemaphore()
    _ = ledger.engine.inbox.add(.freeze { _ in isDone.signal() })
    _ = isDone.wait(timeout: .seconds(60))
    _ = ledger.engine.inbox.add(.unfreeze { _ in isDone.signal() })
    _ = isDone.wait(timeout: .seconds(60))
  }
}
