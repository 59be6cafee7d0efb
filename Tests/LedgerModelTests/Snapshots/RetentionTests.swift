import LedgerModelTestSupport
import LedgerRuntimeTesting
import LedgerTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// Removing records is an event: processes that replay it and processes that fold it agree, and
/// nothing comes back to life.
@Suite(.timeLimit(.minutes(10))) struct RetentionTests {
  @Test(arguments: TestAmount.seeds(24))
  func removalIsTheSameForReplayAndForTheSnapshot(seed: UInt64) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 25)
    try subject.fold()
    let early = Timestamp.at(subject.state.time.nanosecondsSinceEpoch * 2 / 3)
    try subject.removeRecords(endedBy: early)
    try check(subject, "seed \(seed), not folded")
    try subject.fold()
    try check(subject, "seed \(seed), folded")
    try subject.removeRecords(endedBy: .at(.max))
    try check(subject, "seed \(seed), all not folded")
    try subject.fold()
    try check(subject, "seed \(seed), all folded")
    try checkNothingComesBack(subject, "seed \(seed)")
  }

  @Test(arguments: TestAmount.seeds(12, from: 2_001))
  func entitiesInTheSnapshotMayStayInTheOverlay(seed: UInt64) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 25)
    subject.dropsAtOnce = false
    try subject.fold(limit: 9)
    try check(subject, "seed \(seed), folded")
    #expect(!subject.state.overlaid.isEmpty)
    let early = Timestamp.at(subject.state.time.nanosecondsSinceEpoch * 2 / 3)
    try subject.removeRecords(endedBy: early)
    try check(subject, "seed \(seed), removed")
    try subject.fold(limit: 9)
    try check(subject, "seed \(seed), removed and folded")
    subject.dropFolded(placeCount: [nil, 0, 5, 15][Int(seed % 4)])
    try subject.removeRecords(endedBy: .at(.max))
    try check(subject, "seed \(seed), all removed")
    try subject.fold(limit: 9)
    try check(subject, "seed \(seed), all removed and folded")
    try checkNothingComesBack(subject, "seed \(seed)")
    try subject.fold(limit: 9)
    subject.dropFolded()
    #expect(subject.state.overlaid.isEmpty)
    try check(subject, "seed \(seed), dropped")
  }

  private func check(_ subject: CompactedStore, _ comment: Comment) throws {
    let whole = try Answers(subject.replayed(), subject.writer)
    #expect(try Answers(subject.state, subject.writer) == whole, comment)
    #expect(try Answers(.tail(of: subject.store), subject.writer) == whole, comment)
  }

  /// Everything closed is gone, except for records that something open needs; and it stays so.
  private func checkNothingComesBack(_ subject: CompactedStore, _ comment: Comment) throws {
    let state = subject.state
    let needed = try state.neededIDs()
    for number in 1...subject.writer.entityCount {
      let id = RandomLedger.promise(number)
      if let promise = try state.promise(id) {
        let parent = promise.parent.map { needed.contains($0.entityID) } ?? false
        #expect(promise.isOpen || needed.contains(id.entityID) || parent, comment)
      } else if try state.isTombstone(id.entityID) {
        let before = try state.digest()
        #expect { try subject.commit(CreatePromise(id, idempotencyKey: "a")) } throws: {
          ($0 as? LedgerError)?.code == .recordRemoved
        }
        #expect { try subject.commit(ResolvePromise(id)) } throws: {
          ($0 as? LedgerError)?.code == .recordRemoved
        }
        #expect(try subject.state.digest() == before)
      }
    }
  }

  @Test(arguments: TestAmount.seeds(6, from: 1_001))
  func foldingUpToAnyPositionChangesNothingAfterRemovals(seed: UInt64) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: seed, groupCount: 15)
    try subject.fold()
    try subject.removeRecords(
      endedBy: .at(subject.state.time.nanosecondsSinceEpoch * 3 / 4))
    try subject.removeRecords(endedBy: .at(.max))
    for number in 1...4 { _ = try? subject.commit(CreatePromise(.numbered(2 * number))) }
    let whole = try Answers(subject.replayed(), subject.writer)
    let copy = InMemoryEventStore()
    try subject.write(to: copy)
    var folder = Folder()
    while let step = try folder.step(of: copy, through: try copy.head(), limit: 1) {
      #expect(
        try Answers(.tail(of: copy), subject.writer) == whole,
        "seed \(seed), folded to \(step.position)")
    }
  }

  @Test func aKeyWhoseRecordIsRemovedInTheSameCommitIsNotUsedAgain() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let create = CreatePromise(
      id: try PromiseKey("k").promiseID,
      creation: PromiseCreated(typeTag: "text", key: "k", idempotencyKey: "k"), isStrict: false)
    try subject.commit(create)
    try subject.commit(AbandonPromise(id: create.id, reason: ""))
    try subject.fold()
    let plan = try RetentionPlan(subject.state, endedBy: .everything)
    let event = try #require(plan.events.first)
    let answer = try subject.commit { (decision: inout Decision) throws -> LedgerError.Code? in
      let count = try decision.run(ApplyRetention(event, plannedAt: plan.position))
      guard count == 1 else { return nil }
      do {
        _ = try decision.run(create)
        return nil
      } catch {
        return (error as? LedgerError)?.code
      }
    }
    #expect(answer == .recordRemoved)
  }

  @Test func theArgumentsThatARunningCallWasBegunWithAreNeededUntilItEnds() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let (promise, handler) = (PromiseID.numbered(1), HandlerID.numbered(101))
    try subject.commit(CreatePromise(promise))
    let references = HandlerReferences(promises: [promise], handlers: [])
    try subject.commit(CreateHandler(handler, arguments: .of(.bytes(9_000), references)))
    try subject.commit(StartCall(handler, .numbered(1)))
    let bound = try #require(try subject.state.handler(handler)?.bound.arguments.attachment)
    try subject.commit(
      RebindHandler(id: handler, mode: .replaced, arguments: .none, expectedBinding: nil))
    let rebound = try #require(try subject.state.handler(handler))
    #expect(rebound.bound.arguments.attachment == nil)
    #expect(try subject.state.neededIDs().contains(promise.entityID))
    #expect(LedgerEntity.handler(rebound).attachments == [bound])
  }

  @Test func effectsOnRemovedRecordsAreRefusedAndTheCallFinishes() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let (promise, gone, caller) = (
      try PromiseKey("k").promiseID, try HandlerKey("k").handlerID, HandlerID.numbered(102)
    )
    let createPromise = CreatePromise(
      id: promise, creation: PromiseCreated(typeTag: "text", key: "k", idempotencyKey: "k"),
      isStrict: false)
    let createHandler = CreateHandler(id: gone, .init(kind: "greet", key: "k"), arguments: .none)
    try subject.commit(createPromise)
    try subject.commit(AbandonPromise(id: promise, reason: ""))
    try subject.commit(createHandler)
    try subject.commit(InvalidateHandler(gone, .numbered(1), runsCode: false))
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    #expect(try subject.state.isTombstone(promise.entityID))
    #expect(try subject.state.isTombstone(gone.entityID))
    try subject.commit(CreateHandler(caller))
    try subject.commit(StartCall(caller, .numbered(2)))
    let actions: [HandlerEffect.Action] = [
      .resolvePromise(ResolvePromise(promise)), .createPromise(createPromise),
      .createHandler(createHandler), .callHandler(gone, .numbered(3), .none),
      .invalidateHandler(gone, .numbered(4), reason: "", .none),
    ]

    let answer = try subject.commit(
      FinishCall(caller, .numbered(2), effects: actions.map { HandlerEffect($0) }))

    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    #expect(
      finished.effects.map(\.verdict) == [.notFound, .exists, .exists, .notFound, .notFound])
    #expect(try subject.state.promise(promise) == nil)
    #expect(try subject.state.handler(gone) == nil)
  }

  @Test func bindingsMadeAfterThePlanStay() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 1)
    let (promise, handler) = (PromiseID.numbered(101), HandlerID.numbered(101))
    try subject.commit(CreatePromise(promise))
    try subject.commit(AbandonPromise(id: promise, reason: ""))
    try subject.fold()
    let plan = try RetentionPlan(subject.state, endedBy: .everything)
    let references = HandlerReferences(promises: [promise], handlers: [])
    try subject.commit(CreateHandler(handler, arguments: .of(.none, references)))
    for event in plan.events {
      // One fewer than was planned.
      #expect(
        try subject.commit(ApplyRetention(event, plannedAt: plan.position))
          == Int(event.removedCount) - 1)
    }
    #expect(try subject.state.promise(promise) != nil)
    try subject.fold()
    #expect(try subject.state.promise(promise) != nil)
    try subject.commit(InvalidateHandler(handler, .numbered(1), runsCode: false))
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    #expect(try subject.state.promise(promise) == nil)
  }

  @Test(arguments: [false, true])
  func theChildrenOfPendingWorkStay(hasLargeOutcome: Bool) throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let (parent, child) = (PromiseID.numbered(50_000), PromiseID.numbered(50_001))
    let work = PromiseCreated.Work(kind: "k")
    let creation = PromiseCreated(
      typeTag: "text", lifetime: .untilSettled, source: .work(work))
    try subject.commit(CreatePromise(id: parent, creation: creation, isStrict: true))
    try subject.commit(
      CreatePromise(
        id: child,
        creation: PromiseCreated(typeTag: "text", lifetime: .untilSettled, parent: parent),
        isStrict: true))
    let size = hasLargeOutcome ? 9_000 : 9
    try subject.commit(
      ResolvePromise(child, .fulfilled, content: [UInt8](repeating: 1, count: size)))
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    #expect(try subject.state.promise(child) != nil)
    try subject.fold()
    #expect(try subject.state.promise(child) != nil)
    // Nothing looks for them any more.
    try subject.commit(CancelWork(id: parent, reason: ""))
    try subject.fold()
    try subject.removeRecords(endedBy: .at(.max))
    #expect(try subject.state.promise(child) == nil)
  }

  @Test func neededRecordsStayBetweenTwoEventsOfAPlan() throws {
    let subject = try CompactedStore(InMemoryEventStore(), seed: 1, groupCount: 0)
    let (needed, handler) = (PromiseID.numbered(50_000), HandlerID.numbered(50_001))
    let references = HandlerReferences(promises: [needed], handlers: [])
    try subject.commit(CreatePromise(needed))
    try subject.commit(CreateHandler(handler, arguments: .of(.none, references)))
    try subject.abandonNewPromises(RetentionPlan.maximumRemovedCount)
    try subject.commit(AbandonPromise(id: needed, reason: ""))
    try subject.abandonNewPromises(1)
    try subject.fold(limit: 10_000)
    let plan = try RetentionPlan(subject.state, endedBy: .everything)
    #expect(plan.events.map(\.removedCount) == [1_000, 1])
    #expect(plan.neededCount == 1)

    try subject.removeRecords(endedBy: .at(.max))

    #expect(try subject.state.promise(needed) != nil)
    try subject.fold(limit: 10_000)
    #expect(try subject.state.promise(needed) != nil)
  }
}

extension CompactedStore {
  /// Makes promises and gives them up, in one commit.
  fileprivate func abandonNewPromises(_ count: Int) throws {
    try commit { decision in
      for _ in 0..<count {
        let id = PromiseID(entityID: .random())
        _ = try decision.run(CreatePromise(id))
        _ = try decision.run(AbandonPromise(id: id, reason: ""))
      }
    }
  }
}
