import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The effect of cancelling an in-memory promise on a durable one.
@Suite(.timeLimit(.minutes(5))) final class InMemoryCancellationTests: Sendable {
  private let temporary: TemporaryLedger

  init() throws {
    temporary = try TemporaryLedger()
  }

  @Test func cancellingInMemoryDetachesOnly() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let waiting = durable.promise
    let link = waiting.map { $0 }
    try await isAwaited(durable, in: app)
    #expect(waiting.cancel("seen enough"))
    #expect(try await link.settlement() == .cancelled("seen enough"))
    try await become { !app.engine.replica.isAwaited(durable.id) }
    #expect(try await durable.record?.status == .pending)
    try await durable.fulfill(1)
    #expect(try await durable.record?.status == .resolved)
    #expect(try await durable.promise.value == 1)
    await app.close()
  }

  @Test func oneThatIsCancelledTakesNothingFromTheOthers() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let promises = (0..<20).map { _ in durable.promise }
    let links = promises.map { $0.map { $0 } }
    try await isAwaited(durable, in: app)
    for index in stride(from: 0, to: 20, by: 2) { promises[index].cancel() }
    try await durable.fulfill(1)
    for (index, link) in links.enumerated() {
      let expected: Outcome<Int> = index % 2 == 0 ? .cancelled(.unspecified) : .fulfilled(1)
      #expect(try await link.settlement() == expected, "link \(index)")
    }
    await app.close()
  }

  @Test func aTaskThatStopsWaitingLeavesTheOthers() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let stopped = Task { try await durable.outcome }
    let waiting = Task { try await durable.outcome }
    try await isAwaited(durable, in: app)
    stopped.cancel()
    await #expect(throws: CancellationError.self) { try await stopped.value }
    try await durable.fulfill(1)
    #expect(try await waiting.value == .fulfilled(1))
    try await become { !app.engine.replica.isAwaited(durable.id) }
    await app.close()
  }

  @Test(arguments: [true, false])
  func cancellingMayReachTheLedger(_ isObserved: Bool) async throws {
    let app = try await temporary.open(as: .app)
    let helper = try await temporary.open(as: .appExtension)
    let durable = try await app.createPromise(of: Int.self)
    let promise = durable.promise(cancelling: .ledger)
    if isObserved {
      promise.done { _ in }
      try await isAwaited(durable, in: app)
    }
    promise.cancel("the page\nwas closed")
    let seen = try await helper.promise(id: durable.id, of: Int.self).outcome
    #expect(seen == .cancelled(reason: "the page was closed"))
    // The code that cancelled knows, so it is not offered again.
    try await become { try await durable.record?.status == .consumed }
    await app.close()
    await helper.close()
  }

  @Test func cancellingAnOuterPromiseReachesTheLedgerToo() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let outer = Promise.value(1).then { _ in durable.promise(cancelling: .ledger) }
    try await isAwaited(durable, in: app)
    outer.cancel("outer")
    #expect(try await durable.outcome == .cancelled(reason: "outer"))
    await app.close()
  }

  @Test func anOutcomeThatCameBeforeTheCancellationStays() async throws {
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    try await durable.fulfill(1)
    let later = try await app.createPromise(of: Int.self)
    durable.promise(cancelling: .ledger).cancel()
    later.promise(cancelling: .ledger).cancel()
    try await become { try await later.record?.status == .consumed }
    #expect(try await durable.record?.status == .resolved)
    #expect(try await durable.consume() == 1)
    await app.close()
  }
}
