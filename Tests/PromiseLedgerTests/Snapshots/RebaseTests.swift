import LedgerModelTestSupport
import LedgerPromises
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Two processes whose states come from different events give the same answers once they have
/// caught up, whatever was folded, removed and deleted meanwhile.
@Suite(.timeLimit(.minutes(10))) struct RebaseTests {
  /// Writes, folds and removes at random; processes that fall behind at every step catch up at the end.
  @Test(arguments: TestAmount.seeds(30))
  func aProcessThatIsBehindComesToTheSameState(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 12)
    var behind = [Replica()]
    for round in 0..<6 {
      behind.append(Replica(try .tail(of: subject.store)))
      for _ in 0..<6 { try write(to: subject, &generator) }
      // The next deadline was requested before, and is remembered.
      behind.append(Replica(subject.state))
      _ = try behind.last?.withState { try $0.nextDeadline()?.id }
      let base = subject.state.base.rawValue
      let head = subject.state.position.rawValue
      let end = Position(rawValue: .random(in: base...head, using: &generator))
      try subject.fold(limit: .random(in: 1...40, using: &generator), through: end)
      if round % 2 == 0 {
        let time = subject.state.time.nanosecondsSinceEpoch
        try subject.removeRecords(endedBy: .at(.random(in: time / 2...time, using: &generator)))
      }
      if round % 3 == 2 { try subject.deleteEvents() }
    }
    let whole = try Answers(subject.replayed(), subject.writer)
    #expect(try Answers(subject.state, subject.writer) == whole, "seed \(seed)")
    for (number, replica) in behind.enumerated() {
      _ = try replica.catchUp(
        from: subject.store, sliceEventCount: 10)
      // Looking may find that the snapshot moved without an event that would have told.
      try replica.rebase(from: subject.store)
      let answers = try replica.lookAtCopy(with: subject.store) { try Answers($0, subject.writer) }
      #expect(answers == whole, "seed \(seed), process \(number)")
    }
  }

  private func write(
    to subject: CompactedStore, _ generator: inout SeededGenerator
  ) throws {
    let id = RandomLedger.promise(.random(in: 1...12, using: &generator))
    let time = subject.state.time + .nanoseconds(.random(in: -50...400, using: &generator))
    switch Int.random(in: 0..<6, using: &generator) {
    case 0, 1:
      _ = try? subject.commit(CreatePromise(id, deadline: generator.chance(2, of: 3) ? time : nil))
    case 2, 3: _ = try? subject.commit(ResolvePromise(id))
    case 4: _ = try? subject.commit(ConsumePromise(id: id, delivery: .recordedBefore))
    default: _ = try? subject.commit(AbandonPromise(id: id, reason: ""))
    }
  }

  // MARK: Waiters

  @Test(arguments: StoreMaker.all)
  func waitersOfPromisesThatSettledInEventsNeverSeenWake(maker: StoreMaker) throws {
    let made = try maker.make()
    let subject = try CompactedStore(made.store, seed: 5, groupCount: 3)
    let ids = (101...104).map { PromiseID.numbered($0) }
    for id in ids { try subject.commit(CreatePromise(id)) }
    let replica = Replica(try .tail(of: made.store))
    for id in ids { replica.beginUse(of: id) }
    let waiters = try ids.map { try replica.settlement(of: $0, with: made.store) }
    try subject.commit(ResolvePromise(ids[0]))
    try subject.commit(AbandonPromise(id: ids[1], reason: ""))
    try subject.commit(ResolvePromise(ids[2]))
    try subject.commit(ConsumePromise(id: ids[2], delivery: .recordedBefore))
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    try subject.fold()
    try subject.deleteEvents()
    #expect(try made.store.snapshotSummary().deletedThrough > replica.position)
    #expect(waiters.allSatisfy { $0.outcome == nil })

    _ = try replica.catchUp(from: made.store, sliceEventCount: 10)
    replica.deliver(from: made.store)
    #expect(try waiters[0].outcome?.get().status == .resolved)
    for waiter in waiters[1...2] {
      #expect { try waiter.outcome?.get() } throws: { ($0 as? LedgerError)?.code == .notFound }
    }
    #expect(waiters[3].outcome == nil)

    try subject.commit(ResolvePromise(ids[3]))
    _ = try replica.catchUp(from: made.store, sliceEventCount: 10)
    replica.deliver(from: made.store)
    #expect(try waiters[3].outcome?.get().status == .resolved)
  }

  // MARK: Threads

  @Test func aSlowThreadDoesNotTakeTheStateBack() throws {
    let store = WatchedStore()
    let subject = try CompactedStore(store, seed: 3, groupCount: 25)
    let head = try store.head()
    let replica = Replica(try .tail(of: store))
    try subject.fold(through: Position(rawValue: head.rawValue / 2))
    let isRebased = WakeSemaphore()
    // Between the slower thread's look at the snapshot and its use of the result.
    store.afterRead = {
      do {
        var folder = Folder()
        while try folder.step(of: store, through: head, limit: 1_000) != nil {}
        _ = try SystemThread.start(name: "faster") {
          do { try replica.rebase(from: store) } catch { Issue.record("\(error)") }
          isRebased.signal()
        }
        // It may have to wait for the slower one.
        _ = isRebased.wait(timeout: .milliseconds(50))
      } catch {
        Issue.record("\(error)")
      }
    }
    try replica.rebase(from: store)
    let answers = try replica.lookAtCopy(with: store) { try Answers($0, subject.writer) }
    #expect(try answers == Answers(subject.replayed(), subject.writer))
  }

  // MARK: Rules

  /// The deadline of a promise that could not be written to is looked up again once it can.
  @Test func theDeadlineOfAPromiseThatWasBlockedIsFound() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    let store = subject.store
    let id = PromiseID.numbered(901)
    try subject.commit(CreatePromise(id, deadline: subject.state.time + .seconds(1)))
    try subject.fold()
    let replica = Replica(try .tail(of: store))
    // A newer build writes an event that this one does not know.
    var batch = EventBatch()
    try batch.append(.raw(EventKind(rawValue: 999), on: id.entityID))
    let made = batch
    _ = try store.commit(
      CommitID(session: .numbered(2), number: 77), after: store.head(),
      patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) in made })
    _ = try replica.catchUp(from: store, sliceEventCount: 100)
    #expect(replica.withState { $0.blocked[id.entityID] != nil })
    _ = try replica.look(with: store) { try $0.nextDeadline()?.id }
    #expect(try !replica.look(with: store) { try $0.due(at: .at(.max), limit: 9_999).contains(id) })
    // It also folds, which changes nothing that this version can see.
    var edit = SnapshotEdit(try store.snapshotSummary())
    edit.new.position = try store.head()
    _ = try store.apply(edit, patience: Patience(.seconds(5)))
    _ = try replica.catchUp(from: store, sliceEventCount: 100)
    #expect(replica.withState { $0.blocked.isEmpty })
    #expect(try replica.look(with: store) { try $0.due(at: .at(.max), limit: 9_999).contains(id) })
  }

  @Test func anEarlierDeadlineThatWasFoldedMeanwhileIsFound() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    let (late, early) = (PromiseID.numbered(101), PromiseID.numbered(102))
    try subject.commit(CreatePromise(late, deadline: subject.state.time + .seconds(9)))
    try subject.fold()
    try subject.commit(ResolvePromise(late))
    var state = try LedgerState.tail(of: subject.store)
    // Passes the entries of the snapshot up to the late one, which is resolved.
    #expect(try state.nextDeadline()?.id != late)
    try subject.commit(CreatePromise(early, deadline: subject.state.time + .seconds(5)))
    try state.apply(eventsOf: subject.store, through: subject.state.position, limit: 100)
    try subject.fold()
    #expect(try state.rebase(onto: SnapshotReader(subject.store)) == false)
    var fresh = try LedgerState.tail(of: subject.store)
    let next = try fresh.nextDeadline()?.id
    #expect(next != nil)
    #expect(try state.nextDeadline()?.id == next)
    #expect(try state.due(at: .at(.max), limit: 9).contains(early))
  }

  @Test func aDeadlineAfterTheSnapshotStays() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    let folded = subject.state.position
    let id = PromiseID.numbered(101)
    try subject.commit(CreatePromise(id, deadline: subject.state.time + .seconds(1)))
    var state = subject.state
    try subject.fold(through: folded)
    #expect(try state.rebase(onto: SnapshotReader(subject.store)) == false)
    #expect(try state.due(at: .at(.max), limit: 9).contains(id))
  }

  /// A newer build folded an event that this one could not apply.
  @Test(arguments: [false, true])
  func aBlockedSubjectIsReadFromTheSnapshotThatHoldsIt(changesLater: Bool) throws {
    let id = PromiseID.numbered(101)
    // This build sees an event that it does not know where the newer one sees a resolution.
    var old = PureLedger()
    try old.commit(OpenSession(.sample()))
    try old.commit(CreatePromise(id))
    var new = old
    try old.append([.raw(EventKind(rawValue: 999), on: id.entityID)])
    let resolution = PromiseResolved(
      outcome: .fulfilled, resolvedAt: .at(1_000), idempotencyKey: nil, content: [1])
    try new.append([.of(resolution, on: id.entityID)])
    if changesLater {
      try old.append([.of(PromiseAbandoned(reason: ""), on: id.entityID)])
    }
    var state = old.state
    #expect(state.blocked[id.entityID] != nil)
    let store = InMemoryEventStore()
    try new.write(to: store)
    var folder = Folder()
    _ = try folder.step(of: store, through: try store.head(), limit: 100)
    #expect(try state.rebase(onto: SnapshotReader(store)) == false)
    #expect((state.blocked[id.entityID] != nil) == changesLater)
    if !changesLater { #expect(try state.promise(id)?.status == .resolved) }
  }
}
