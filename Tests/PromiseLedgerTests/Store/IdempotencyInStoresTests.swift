import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// The idempotency table once more, against a ledger in each store: every row in one ledger, all rows at once, the
/// requests made after it was closed and opened again.
@Suite(.timeLimit(.minutes(10)))
struct IdempotencyInStoresTests {
  @Test(arguments: StoreMaker.all)
  func aLedgerAnswersEveryRowOfTheTable(maker: StoreMaker) async throws {
    let place = try maker.makePlace()
    let clock = ManualLedgerClock()
    var configuration = LedgerConfiguration()
    configuration.clock = clock

    let deadline = clock.now() + .seconds(10)
    let first = try await open(place, configuration)
    try await forEachRow { row in try await store(row, in: first, deadline: deadline) }
    await first.close()

    clock.advance(by: .seconds(20))
    let ledger = try await open(place, configuration)
    try await forEachRow { row in
      let before = try await stored(row, in: ledger)
      #expect(before == row.stored || row.stored.state == .timedOut, "\(row)")
      #expect(try await ask(row, ledger) == row.expected.verdict, "\(row)")
      #expect(try await stored(row, in: ledger) == row.expected.after, "\(row)")
    }
    await ledger.close()

    let replayed = try await open(place, configuration)
    try await forEachRow { row in
      let after = try await stored(row, in: replayed)
      #expect(after == row.expected.after, "\(row)")
    }
    await replayed.close()
  }

  private func open(
    _ place: LedgerStorage.Place, _ configuration: LedgerConfiguration
  ) async throws -> Ledger {
    try await Ledger.open(place.openStore, place.sessions, as: .app, configuration: configuration)
  }

  private func forEachRow(
    _ body: @escaping @Sendable (IdempotencyTable.Row) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup { group in
      for row in IdempotencyTable.rows { group.addTask { try await body(row) } }
      try await group.waitForAll()
    }
  }

  private func id(_ row: IdempotencyTable.Row) -> PromiseID { .numbered(row.number) }

  private func stored(
    _ row: IdempotencyTable.Row, in ledger: Ledger
  ) async throws -> IdempotencyOracle.Stored {
    let id = id(row)
    return try await ledger.engine.read { try IdempotencyOracle.Stored($0.promise(id)) }
  }

  private func store(
    _ row: IdempotencyTable.Row, in ledger: Ledger, deadline: Timestamp
  ) async throws {
    guard row.stored.state != .absent else { return }
    let creation = PromiseCreated(
      typeTag: "text", deadline: row.stored.state == .timedOut ? deadline : nil,
      idempotencyKey: row.stored.createKey)
    _ = try await ledger.engine.submit(
      CreatePromise(id: id(row), creation: creation, isStrict: true))
    guard case .resolved(let outcome) = row.stored.state else { return }
    _ = try await ledger.engine.submit(
      ResolvePromise(
        id(row), outcome.kind, idempotencyKey: row.stored.resolveKey, isStrict: true))
  }

  private func ask(
    _ row: IdempotencyTable.Row, _ ledger: Ledger
  ) async throws -> IdempotencyOracle.Verdict {
    let (key, isStrict) = (row.request.key, row.request.isStrict)
    switch row.request.operation {
    case .create:
      let create = CreatePromise(id(row), idempotencyKey: key, isStrict: isStrict)
      return try await ledger.engine.submit(create).verdict
    case .resolve(let outcome):
      let resolve = ResolvePromise(
        id(row), outcome.kind, idempotencyKey: key, isStrict: isStrict)
      return try await ledger.engine.submit(resolve).verdict
    }
  }
}
