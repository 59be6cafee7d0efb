import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store that cannot be reached for a while ends no session.
@Suite(.timeLimit(.minutes(5))) struct UnavailableStoreTests {
  private let store = FailingStore()

  private func open() async throws -> Ledger {
    try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
  }

  @Test(
    arguments: [FailingStore.Place.beginCommit, .append],
    [LedgerError.Code.unavailable, .notDurable])
  func aCommandFailsAndTheNextOneSucceeds(
    place: FailingStore.Place, code: LedgerError.Code
  ) async throws {
    let ledger = try await open()
    let first = try await ledger.createPromise(of: Int.self)
    let head = try store.head()
    store.fail(at: place, code)
    await withTaskGroup { group in
      for number in 0..<20 {
        group.addTask { await expectError(code) { try await first.fulfill(number) } }
      }
    }
    #expect(try store.head() == head)
    #expect(try await ledger.record(of: first.id)?.status == .pending, "reads go on")
    store.mend()
    _ = try await first.fulfill(7)
    #expect(try await first.consume() == 7)
    await ledger.close()
  }

  @Test func aReadFailsAndTheNextOneSucceeds() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    store.fail(at: .view, .unavailable)
    await expectError(.unavailable) { try await ledger.record(of: promise.id) }
    store.mend()
    #expect(try await ledger.record(of: promise.id)?.status == .pending)
    await ledger.close()
  }

  @Test func anUnknownOutcomeIsFoundByTheNextLook() async throws {
    let ledger = try await open()
    let promise = try await ledger.createPromise(of: Int.self)
    store.fail(at: .afterAppend, .commitOutcomeUnknown)
    await expectError(.commitOutcomeUnknown) { try await promise.fulfill(7) }
    store.mend()
    #expect(try await promise.consume() == 7)
    _ = try await ledger.createPromise(of: Int.self)
    await ledger.close()
  }

  @Test func anOpeningFails() async throws {
    store.fail(at: .beginCommit, .unavailable)
    await expectError(.unavailable) { try await open() }
    store.mend()
    await (try await open()).close()
  }
}
