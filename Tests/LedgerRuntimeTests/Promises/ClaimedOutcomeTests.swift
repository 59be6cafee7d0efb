import Dispatch
import LedgerModelTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerPromises
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// An outcome whose consumption is being written reaches the observer that takes it.
@Suite(.timeLimit(.minutes(5))) struct ClaimedOutcomeTests {
  private func open(_ store: some EventStore) async throws -> Ledger {
    try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: LedgerConfiguration())
  }

  @Test func anEndOfInterestWhileTheConsumptionIsWrittenIsTooLate() async throws {
    let store = WatchedStore()
    let app = try await open(store)
    let durable = try await app.createPromise(of: Int.self)
    let clock = ManualClock()
    let token = CancellationToken()
    let (other, resolver) = Promise.make(of: Int.self)
    let struck = DispatchSemaphore(value: 0)
    let limited = durable.promise.map { $0 + 1 }
      .timeout(.seconds(1), clock: WatchedClock(clock) { struck.signal() })
    let end = Promise.race([other, limited]).get { _ in }.cancelled(by: token)
    try await isAwaited(durable, in: app)
    await clock.sleepers(atLeast: 1)
    // The first commit resolves, the second consumes.
    store.onAppend = {
      store.onAppend = {
        clock.advance(by: .seconds(1))
        struck.wait()
        resolver.fulfill(0)
        token.cancel()
      }
    }
    try await durable.fulfill(7)
    #expect(try await end.settlement() == .fulfilled(8))
    #expect(try await durable.record?.status == .consumed)
    await app.close()
  }

  @Test func anEndOfInterestBeforeTheConsumptionIsDecidedCounts() async throws {
    let store = WatchedStore()
    let app = try await open(store)
    let durable = try await app.createPromise(of: Int.self)
    let end = durable.promise.map { $0 + 1 }
    try await isAwaited(durable, in: app)
    store.onDecide = {
      store.onDecide = { end.cancel() }
    }
    try await durable.fulfill(7)
    #expect(try await end.settlement().isCancelled)
    try await isUnused(durable, in: app)
    #expect(try await durable.record?.status == .resolved)
    await app.close()
  }

  @Test func aConsumptionThatCannotBeWrittenRejectsTheChainAndLeavesTheOutcome() async throws {
    let store = FailingStore()
    let app = try await open(store)
    let durable = try await app.createPromise(of: Int.self)
    try await durable.fulfill(7)
    store.fail(at: .append, .unavailable)
    await expect(durable.promise.map { $0 }, throws: .unavailable)
    store.mend()
    #expect(try await durable.record?.status == .resolved)
    #expect(try await durable.promise.value == 7)
    await app.close()
  }

  @Test func theFirstSettlementCountsIfTheConsumptionCannotBeWritten() async throws {
    let store = FailingStore()
    let app = try await open(store)
    let durable = try await app.createPromise(of: Int.self)
    try await durable.fulfill(7)
    let (other, resolver) = Promise.make(of: Int.self)
    let token = CancellationToken()
    let attached = DispatchSemaphore(value: 0)
    store.fail(at: .append, .unavailable) {
      attached.wait()
      attached.signal()
      resolver.fulfill(0)
      token.cancel("why")
    }
    let race = Promise.race([other, durable.promise])
    let cancelled = durable.promise.map { $0 }.cancelled(by: token)
    attached.signal()
    #expect(try await race.settlement() == .fulfilled(0))
    #expect(try await cancelled.settlement() == .cancelled("why"))
    store.mend()
    #expect(try await durable.record?.status == .resolved)
    await app.close()
  }

  @Test func aWaitForAnEventOrTheEndOfAUseLeavesNothingBehind() async throws {
    let app = try await open(WatchedStore())
    weak var storage: PromiseStorage<Void>?
    do {
      let replica = app.engine.replica
      let wait = try replica.advance(
        past: replica.position, orUseEndedAfter: replica.endedUseCount)
      storage = wait.storage
      _ = try await app.createPromise(of: Int.self)
      try await wait.value
    }
    try await become { storage == nil }
    await app.close()
  }

  @Test func twoSessionsMayRunTheClosureAndOneConsumptionIsRecorded() async throws {
    let temporary = try TemporaryLedger()
    let apps = [try await temporary.open(as: .app), try await temporary.open(as: .app)]
    let id = try await apps[0].createPromise(of: Int.self).id
    try await apps[0].promise(id: id, of: Int.self).fulfill(7)
    let entered = apps.map { _ in Promise.make(of: Void.self) }
    let bothEntered = Promise.all(entered.map(\.promise)).asVoid()
    let results = await Promise.allSettled(
      zip(apps, entered).map { app, entered in
        Promise<Int> {
          try await app.promise(id: id, of: Int.self).consume { outcome in
            entered.resolver.fulfill(())
            try await bothEntered.value
            return try outcome.get()
          }
        }
      }
    ).value
    #expect(results.filter { $0 == .fulfilled(7) }.count == 1)
    let errors = results.compactMap { ($0.error as? LedgerError)?.code }
    #expect(errors == [.alreadyConsumed])
    for app in apps { await app.close() }
  }

  @Test func anOutcomeThatNothingTookIsOfferedWhileTheSequenceIsIterated() async throws {
    let temporary = try TemporaryLedger()
    let helper = try await temporary.open(as: .appExtension)
    let app = try await temporary.open(as: .app)
    let created = try await helper.createPromise(of: Int.self)
    let durable = try app.promise(id: created.id, of: Int.self)
    let end = durable.promise.map { $0 }
    try await isAwaited(durable, in: app)
    end.cancel()
    let next = Task {
      var stale = app.stalePromiseUpdates.makeAsyncIterator()
      return try await stale.next()?.id
    }
    try await created.fulfill(7)
    #expect(try await next.value == created.id)
    await app.close()
    await helper.close()
  }

  @Test func closingRejectsAPromiseThatWaitsForAnotherObserver() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let link = durable.promise.map { $0 }
    link.done { _ in }.cancel()
    try await durable.fulfill(7)
    try await isUnused(durable, in: app)
    #expect(link.isPending)
    await app.close()
    try await become { !link.isPending }
    await expect(link, throws: .closed)
  }

  @Test func anOutcomeThatStaysIsNotKeptInMemory() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Counted.self)
    let link = durable.promise.map { $0 }
    link.done { _ in }.cancel()
    durable.promise.catch { _ in }
    try await isAwaited(durable, in: app)
    try await durable.fulfill(Counted())
    try await isUnused(durable, in: app)
    try await become { Counted.count.load(ordering: .acquiring) == 0 }
    #expect(link.isPending)
    _ = try await link.value
    #expect(try await durable.record?.status == .consumed)
    await app.close()
  }

  @Test func aPendingLinkOfAChainThatEndedDeliversToANewEnd() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let link = durable.promise.map { $0 + 1 }
    link.done { _ in Issue.record("the callback ran") }.cancel()
    try await isAwaited(durable, in: app)
    try await durable.fulfill(7)
    try await isUnused(durable, in: app)
    #expect(try await durable.record?.status == .resolved)
    #expect(try await link.value == 8)
    #expect(try await durable.record?.status == .consumed)
    await app.close()
  }

  @Test func aConsumptionElsewhereDeliversToAChainThatHadEnded() async throws {
    let temporary = try TemporaryLedger()
    let app = try await temporary.open(as: .app)
    let durable = try await app.createPromise(of: Int.self)
    let link = durable.promise.map { $0 + 1 }
    link.done { _ in Issue.record("the callback ran") }.cancel()
    try await durable.fulfill(7)
    try await isUnused(durable, in: app)
    #expect(try await durable.consume() == 7)
    #expect(try await link.value == 8)
    await app.close()
  }
}

/// A value that counts its instances.
private final class Counted: Codable, Sendable {
  static let count = Atomic(0)

  init() { Self.count.add(1, ordering: .relaxed) }

  init(from decoder: any Decoder) throws { Self.count.add(1, ordering: .relaxed) }

  deinit { Self.count.subtract(1, ordering: .releasing) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(0)
  }
}
