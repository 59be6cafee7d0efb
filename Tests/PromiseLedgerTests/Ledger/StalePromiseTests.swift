import LedgerLMDB
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Stale promises as they come up.
@Suite(.timeLimit(.minutes(5))) struct StalePromiseTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  @Test func eachIsOfferedOnceHoweverItBecameStale() async throws {
    let helper = try await temporary.open(as: .appExtension)
    let gone = try await temporary.open(as: .app)
    let leaving = try await temporary.open(as: .app)
    let before = try await gone.createPromise(of: Int.self)
    let after = try await gone.createPromise(of: Int.self)
    let inTime = try await leaving.createPromise(of: Int.self)
    for promise in [before, inTime] {
      try await helper.promise(id: promise.id, of: Int.self).fulfill(1)
    }
    await gone.close()

    let app = try await temporary.open(as: .app)
    var stale = app.stalePromiseUpdates.makeAsyncIterator()
    // Resolved before its creator went.
    #expect(try await stale.next()?.id == before.id)
    // Resolved afterwards.
    try await helper.promise(id: after.id, of: Int.self).fulfill(2)
    #expect(try await stale.next()?.id == after.id)
    // Resolved, and its creator goes now.
    await leaving.close()
    #expect(try await stale.next()?.id == inTime.id)
    // Created by an extension, which never comes back for it.
    let own = try await helper.createPromise(of: Int.self)
    try await own.fulfill(3)
    #expect(try await stale.next()?.id == own.id)

    // Consumed, abandoned and pending ones are not offered; the last one shows that all were seen.
    #expect(try await app.promise(id: before.id, of: Int.self).consume() == 1)
    _ = try await app.abandon(after.id, reason: "test")
    let abandoned = try await helper.createPromise(of: Int.self)
    _ = try await helper.abandon(abandoned.id, reason: "test")
    _ = try await helper.createPromise(of: Int.self)
    let last = try await helper.createPromise(of: Int.self)
    try await last.fulfill(4)
    #expect(try await stale.next()?.id == last.id)
    #expect(try await app.stalePromises().map(\.id) == [inTime.id, own.id, last.id])
    await app.close()
    #expect(try await stale.next() == nil)
    await helper.close()
  }

  @Test func oneThatWasAwaitedIsOfferedOnceTheWaitEnds() async throws {
    let helper = try await temporary.open(as: .appExtension)
    let app = try await temporary.open(as: .app)
    let used = try await helper.createPromise(of: Int.self)
    try await used.fulfill(1)
    app.engine.replica.beginUse(of: used.id)
    var stale = app.stalePromiseUpdates.makeAsyncIterator()
    let other = try await helper.createPromise(of: Int.self)
    try await other.fulfill(2)
    #expect(try await stale.next()?.id == other.id)
    app.engine.replica.endUse(of: used.id)
    // Looked at again with the next change.
    _ = try await helper.createPromise(of: Int.self)
    #expect(try await stale.next()?.id == used.id)
    await app.close()
    await helper.close()
  }

  @Test func thoseWhoseEventsWereDeletedDuringAFreezeAreOffered() async throws {
    let helper = try await temporary.open(as: .appExtension)
    let app = try await temporary.open(as: .app)
    let first = try await helper.createPromise(of: Int.self)
    try await first.fulfill(1)
    var stale = app.stalePromiseUpdates.makeAsyncIterator()
    #expect(try await stale.next()?.id == first.id)
    try await app.freeze()
    let second = try await helper.createPromise(of: Int.self)
    try await second.fulfill(2)
    let report = try await helper.compact(CompactionSample.events)
    #expect(report.deletedThrough > .start)
    try await app.unfreeze()
    // The first one is still open, and was offered already.
    #expect(try await stale.next()?.id == second.id)
    let third = try await helper.createPromise(of: Int.self)
    try await third.fulfill(3)
    #expect(try await stale.next()?.id == third.id)
    await app.close()
    await helper.close()
  }

  @Test func closedAndRemovedOnesAreForgotten() throws {
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample(), newLedgerID: LedgerID(entityID: .numbered(9))))
    for number in 1...2 { _ = try ledger.commit(CreatePromise(.numbered(number))) }
    _ = try ledger.commit(AbandonPromise(id: .numbered(2), reason: "test"))
    let ids: Set<PromiseID> = [.numbered(1), .numbered(2), .numbered(3)]
    let candidates = StaleCandidates(ids: ids, includesAll: true)
    let closed = try candidates.promises(in: ledger.state, .all).closed
    #expect(Set(closed) == [.numbered(2), .numbered(3)])
  }

  @Test func aPromiseWhoseLookUpFailedIsOfferedByTheNext() async throws {
    let helper = try await temporary.open(as: .appExtension)
    let app = try await temporary.open(as: .app)
    let first = try await helper.createPromise(of: Int.self)
    try await first.fulfill(1)
    var stale = app.stalePromiseUpdates.makeAsyncIterator()
    #expect(try await stale.next()?.id == first.id)
    // A value of this size is stored beside the event, and read after the state.
    let second = try await helper.createPromise(of: [UInt8].self)
    try await second.fulfill([UInt8](repeating: 2, count: 9_000))
    try flipLargeValues()
    do {
      let record = try await stale.next()
      Issue.record("\(String(describing: record))")
    } catch let error as LedgerError {
      #expect(error.code == .corrupt)
    }
    try flipLargeValues()
    try await helper.createPromise(of: Int.self).fulfill(3)
    #expect(try await stale.next()?.id == second.id)
    await app.close()
    await helper.close()
  }

  /// Damages all values that are stored beside events; the second time, the damage is gone.
  private func flipLargeValues() throws {
    let values = try CompactedLedger.entries(of: "blob", at: temporary.path)
    #expect(!values.isEmpty)
    try CompactedLedger.edit(temporary.path) { transaction, tables in
      for (key, value) in values {
        let flipped = value.map { $0 ^ 1 }
        try transaction.put(flipped.span, forKey: key.span, in: try tables("blob"))
      }
    }
  }

  @Test func onlyTheAppIsOfferedAny() async throws {
    let helper = try await temporary.open(as: .appExtension)
    var stale = helper.stalePromiseUpdates.makeAsyncIterator()
    let error = await #expect(throws: LedgerError.self) { _ = try await stale.next() }
    #expect(error?.code == .roleMayNotConsume)
    await helper.close()
  }

  @Test func aChangeConcernsOnlyTheEntitiesThatItNames() throws {
    var candidates = StaleCandidates(ids: [], includesAll: false)
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample(), newLedgerID: LedgerID(entityID: .numbered(9))))
    for number in 1...100 { _ = try ledger.commit(CreatePromise(.numbered(number))) }
    _ = try ledger.commit(ResolvePromise(.numbered(7)))
    for frame in ledger.frames { try frame.add(to: &candidates) }
    #expect(candidates.ids == [.numbered(7)])
    #expect(!candidates.includesAll)
    let known = ledger.frames.count
    try ledger.commit(CloseSession(id: .numbered(1), reason: .closed))
    for frame in ledger.frames[known...] { try frame.add(to: &candidates) }
    #expect(candidates.includesAll)
    #expect(try candidates.promises(in: ledger.state, .all).left.map(\.id) == [.numbered(7)])
  }
}

extension LeftPromiseRule {
  fileprivate static let all = LeftPromiseRule(instance: nil)
}

extension PureLedger.StoredFrame {
  fileprivate func add(to candidates: inout StaleCandidates) throws(LedgerError) {
    let view = try FrameView(checking: bytes.span, key: key)
    try view.forEachEvent { event throws(LedgerError) in candidates.add(event) }
  }
}
