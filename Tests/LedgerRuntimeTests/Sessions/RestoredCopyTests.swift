import Foundation
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// An older copy of the data file that is put back while a session is frozen.
@Suite(.timeLimit(.minutes(5))) struct RestoredCopyTests {
  private let temporary: TemporaryLedger
  private let file: URL

  init() throws {
    temporary = try TemporaryLedger()
    file = URL(fileURLWithPath: temporary.path + "/generation-000001/data.mdb")
  }

  private func open(_ instance: String) async throws -> Ledger {
    try await temporary.open(configuration: CompactionSample.configuration(instance))
  }

  /// A session that is frozen, and a copy of the ledger from before it wrote its newest events.
  private func frozen() async throws -> (Ledger, copy: Data) {
    let ledger = try await open("first")
    _ = try await ledger.createPromise(of: Int.self)
    try await ledger.freeze()
    let copy = try Data(contentsOf: file)
    try await ledger.unfreeze()
    for _ in 0..<3 { _ = try await ledger.createPromise(of: Int.self) }
    try await ledger.freeze()
    return (ledger, copy)
  }

  @Test func aSessionDoesNotContinueAfterEventsWrittenToIt() async throws {
    let (ledger, copy) = try await frozen()
    try copy.write(to: file)
    // As described in the article *File format*.
    try FileManager.default.removeItem(atPath: temporary.path + "/wake")
    let other = try await open("second")
    for _ in 0..<20 { _ = try await other.createPromise(of: Int.self) }
    let head = try await other.engine.withStore { store in try store.head() }
    await expectError(.historyChanged) { try await ledger.unfreeze() }
    await expectError(.historyChanged) { try await ledger.createPromise(of: Int.self) }
    #expect(try await other.engine.withStore { store in try store.head() } == head)
    await ledger.close()
    await other.close()
  }

  @Test func aSessionDoesNotGoOnWithIt() async throws {
    let (ledger, copy) = try await frozen()
    try copy.write(to: file)
    try FileManager.default.removeItem(atPath: temporary.path + "/wake")
    await expectError(.corrupt) { try await ledger.unfreeze() }
    await ledger.close()
  }
}
