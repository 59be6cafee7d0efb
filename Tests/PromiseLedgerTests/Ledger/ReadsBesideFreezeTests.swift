import LedgerSystem
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Reading while the store is taken away by a freeze.
@Suite(.timeLimit(.minutes(5))) struct ReadsBesideFreezeTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  @Test func aReadWhoseStoreIsClosedUnderItIsMadeAgainAfterTheFreeze() async throws {
    let ledger = try await temporary.open()
    _ = try await ledger.createPromise(of: Int.self)
    let head = try await ledger.catchUp()
    var attempts = 0
    let position = try await ledger.engine.withStore { store in
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
      try await ledger.engine.withStore { store in
        let isClosed = WakeSemaphore()
        _ = ledger.engine.inbox.add(.close { isClosed.signal() })
        _ = isClosed.wait(timeout: .seconds(60))
        return try store.head()
      }
    }
    #expect(error?.code == .closed)
  }

  @Test func aStepThatAFreezeInterruptedAtTheGateIsMadeAgain() async throws {
    let ledger = try await temporary.open()
    var attempts = 0
    try await ledger.engine.withStore { _ in
      attempts += 1
      guard attempts == 1 else { return }
      freezeAndUnfreeze(ledger)
      throw LedgerError.interrupted
    }
    #expect(attempts == 2)
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.engine.withStore { _ in throw LedgerError.interrupted }
    }
    #expect(error?.lookAgain == .interrupted)
    await ledger.close()
  }

  /// A freeze between catching up and looking at a promise that only the snapshot has.
  @Test func aWaitThatFindsTheSnapshotClosedGoesOnAfterTheFreeze() async throws {
    let id = try await makeFoldedPromise()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    try await ledger.freeze()
    let waiting = Task { try await ledger.engine.settlement(of: id).id }
    for _ in 0..<100 { await Task.yield() }
    try await ledger.unfreeze()
    #expect(try await waiting.value == id)
    await ledger.close()
  }

  @Test func aWaitThatFindsTheSnapshotClosedSaysThatTheLedgerIsFrozenIfAskedTo() async throws {
    let id = try await makeFoldedPromise()
    var configuration = CompactionSample.configuration()
    configuration.waitsWhileFrozen = false
    let ledger = try await temporary.open(configuration: configuration)
    try await ledger.freeze()
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.engine.settlement(of: id)
    }
    #expect(error?.code == .frozen)
    await ledger.close()
  }

  /// A resolved promise that is in the snapshot but in no session's memory.
  private func makeFoldedPromise() async throws -> PromiseID {
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    try await ledger.compact(CompactionSample.events)
    await ledger.close()
    return promise.id
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
