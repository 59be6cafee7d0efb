import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Handlers through each store: reopening makes an equal state, and one of two sessions wins.
@Suite(.timeLimit(.minutes(10))) struct HandlersInStoreTests {
  private let id = HandlerID.numbered(1)
  private let call = CallID.numbered(1)

  /// A store with handlers in every state and contents of every size, and the state of its writer.
  private func write(to store: any EventStore) throws -> LedgerState {
    let ledger = try StoredLedger(store, session: 1)
    for (number, size) in [0, 100, 3_900, 4_000, 50_000].enumerated() {
      let id = HandlerID.numbered(number + 1)
      try ledger.commit(CreateHandler(id, .repeating, scopes: ["s"], arguments: .bytes(size)))
      for call in 1...3 {
        try ledger.commit(
          StartCall(id, .numbered(10 * number + call), arguments: .bytes(size)))
      }
      try ledger.commit(
        RebindHandler(id: id, mode: .merged, arguments: .bytes(size + 1), expectedBinding: nil))
      try ledger.commit(
        FinishCall(
          id, .numbered(10 * number + 1),
          result: .returned(typeTag: "bytes", bytes: [UInt8](repeating: 5, count: size))))
      try ledger.commit(
        ReleaseCall(id: id, call: .numbered(10 * number + 2), attempt: 1, reason: .cancelled))
      if number > 2 {
        try ledger.commit(
          InvalidateHandler(id, .numbered(10 * number + 9), arguments: .bytes(size)))
      }
    }
    return ledger.state
  }

  @Test(arguments: StoreMaker.all)
  func reopeningMakesAnEqualState(maker: StoreMaker) throws {
    let subject = try maker.make()
    let state = try write(to: subject.store)
    #expect(state.handlers.count == 5)

    subject.store.close()
    let reopened = try subject.reopened()
    #expect(try StoredLedger.replaying(reopened).contents == state.contents)
    reopened.close()
  }

  @Test(arguments: StoreMaker.all)
  func valuesBesideAnEventComeBackWhole(maker: StoreMaker) throws {
    let subject = try maker.make()
    let state = try write(to: subject.store)

    for (number, size) in [0, 100, 3_900, 4_000, 50_000].enumerated() {
      let entity = try #require(try state.handler(.numbered(number + 1)))
      let open = try #require(entity.openCalls[.numbered(10 * number + 3)])
      #expect(try arguments(open.arguments, in: subject.store) == .bytes(size), "\(size) bytes")
      #expect(
        try arguments(open.bound.arguments, in: subject.store) == .bytes(size), "\(size) bytes")
      #expect(
        try arguments(entity.bound.arguments, in: subject.store) == .bytes(size + 1),
        "\(size) bytes")
      let finish = try #require(entity.lastFinish)
      let report = try report(finish, in: subject.store)
      #expect(
        report.result
          == .returned(typeTag: "bytes", bytes: [UInt8](repeating: 5, count: size)))
    }
  }

  @Test(arguments: StoreMaker.all)
  func aBatchOfEffectsThatIsLargerThanAFrameIsOneCommit(maker: StoreMaker) throws {
    let subject = try maker.make()
    let ledger = try StoredLedger(subject.store, session: 1)
    try ledger.commit(CreateHandler(id))
    try ledger.commit(StartCall(id, call))
    let count = HandlerEffect.maximumCount / 2
    let effects = (1...count).flatMap { number in
      [
        HandlerEffect(.createPromise(CreatePromise(.numbered(number)))),
        HandlerEffect(.resolvePromise(ResolvePromise(.numbered(number)))),
      ]
    }

    let answer = try ledger.commit(FinishCall(id, call, effects: effects))

    guard case .finished(let finished) = answer,
      let end = try ledger.state.handler(id)?.lastFinish,
      case .attached(let position, let byteCount) = end.report
    else {
      Issue.record("\(answer)")
      return
    }
    #expect(position == ledger.state.position)
    #expect(byteCount > EventBatch.maximumPayloadByteCount)
    let report = try report(end, in: subject.store)
    #expect(report.effects == finished.effects)
    #expect(report.effects.count == 2 * count)
    #expect(report.effects.allSatisfy { $0.verdict == .done })
    let replayed = try StoredLedger.replaying(subject.store)
    #expect(replayed.contents == ledger.state.contents)
    #expect(try (1...count).allSatisfy { try replayed.promise(.numbered($0))?.status == .resolved })
  }

  @Test(arguments: StoreMaker.all)
  func ofTwoSessionsThatRaceForAReleasedCallOneWins(maker: StoreMaker) throws {
    let subject = try maker.make()
    let first = try StoredLedger(subject.store, session: 1)
    let second = try StoredLedger(subject.store, session: 2)
    try first.commit(CreateHandler(id))
    try first.commit(StartCall(id, call))
    try first.commit(ReleaseCall(id: id, call: call, attempt: 1, reason: .cancelled))
    let retry = RetryCall(id: id, call: call, expectedAttempt: 1)
    let effect = HandlerEffect(.createPromise(CreatePromise(.numbered(1))))

    #expect(try second.commit(retry).verdict == "started")
    // The first session knows of no retry until it commits.
    #expect(try first.state.handler(id)?.openCalls[call]?.attempt == 1)
    #expect(try first.commit(retry).verdict == "taken")
    let late = FinishCall(id, call, attempt: 1, effects: [effect])
    #expect(try first.commit(late).verdict == "superseded")
    #expect(try first.state.promise(.numbered(1)) == nil)
    #expect(
      try second.commit(FinishCall(id, call, attempt: 2, effects: [effect])).verdict == "finished")
    #expect(try first.commit(retry).verdict == "finished")

    #expect(first.state.contents == second.state.contents)
    #expect(try StoredLedger.replaying(subject.store).contents == first.state.contents)
    let events = try subject.events()
    #expect(events.filter { $0.kind == .handlerCallFinished }.count == 1)
    #expect(events.filter { $0.kind == .promiseCreated }.count == 1)
  }

  @Test func aFinishThatLosesARaceDecidesItsEffectsAgain() throws {
    let store = InMemoryEventStore()
    let ledger = try StoredLedger(store, session: 1)
    try ledger.commit(CreateHandler(id))
    try ledger.commit(StartCall(id, call))
    let before = ledger.decisionCount
    store.simulateConflicts(3)

    let effect = HandlerEffect(.createPromise(CreatePromise(.numbered(1))))
    #expect(try ledger.commit(FinishCall(id, call, effects: [effect])).verdict == "finished")

    #expect(ledger.decisionCount == before + 4)
    #expect(try StoredLedger.replaying(store).contents == ledger.state.contents)
  }

  private func arguments(
    _ reference: ArgumentsReference, in store: any EventStore
  ) throws -> StoredArguments {
    switch reference {
    case .inline(let arguments): arguments
    case .attached(let position, let byteCount):
      try StoredArguments(decoding: store.attachment(of: position, byteCount: byteCount))
    }
  }

  private func report(
    _ finish: HandlerEntity.Finish, in store: any EventStore
  ) throws -> HandlerCallFinished.Report {
    switch finish.report {
    case .inline(let report): report
    case .attached(let position, let byteCount):
      try HandlerCallFinished.Report(
        decoding: store.attachment(of: position, byteCount: byteCount), outcome: finish.outcome)
    }
  }
}
