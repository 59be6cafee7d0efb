import LedgerLMDB
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A disk that lost a write shows older versions of records: as many as there should be, each with a
/// checksum that fits.
@Suite(.timeLimit(.minutes(10)))
struct StaleRecordTests {
  private let temporary: TemporaryLedger
  private let promise: PromiseID
  /// The tables when the promise was resolved; now they record that it was consumed.
  private let old: [String: [(key: [UInt8], value: [UInt8])]]

  init() async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let promise = try await ledger.createPromise(of: String.self)
    self.promise = promise.id
    try await promise.fulfill("once")
    try await ledger.compact(.foldOnly)
    var old: [String: [(key: [UInt8], value: [UInt8])]] = [:]
    for table in ["entities", "meta"] {
      old[table] = try CompactedLedger.entries(of: table, at: temporary.path)
    }
    self.old = old
    _ = try await promise.consume()
    try await ledger.compact(.foldOnly)
    await ledger.close()
  }

  private func putBack(_ key: [UInt8], in table: String) throws {
    let entry = try #require(old[table]?.first { $0.key == key })
    try CompactedLedger.edit(temporary.path) { transaction, tables in
      try transaction.put(entry.value.span, forKey: key.span, in: try tables(table))
    }
  }

  @Test func aConsumedPromiseIsNotConsumedAgain() async throws {
    try putBack(SnapshotRecord.key(promise.entityID), in: "entities")
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    let command = ConsumePromise(id: promise, delivery: .recordedBefore)
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.engine.submit(command)
    }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("\(promise)") == true)
    // Entities that are not in the snapshot continue.
    let other = try await ledger.createPromise(of: Int.self)
    try await other.fulfill(1)
    #expect(try await other.consume() == 1)
    await ledger.close()
    let path = temporary.path
    var isFound = false
    _ = try BlockingInspector(at: path).verify { _ in isFound = true }
    #expect(isFound)
  }

  @Test func eventsAreNotAppliedToRecordsThatHoldThem() async throws {
    try putBack(SnapshotSummary.key, in: "meta")
    let error = await #expect(throws: LedgerError.self) {
      try await temporary.open(configuration: CompactionSample.configuration())
    }
    #expect(error?.code == .corrupt)
  }
}
