import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The cancellation of work, as far as it concerns the work that it started.
@Suite(.timeLimit(.minutes(10))) struct CancelledChildrenTests {
  @Test(arguments: WorkLedger.Form.allCases)
  func cancellingWorkCancelsItsChildrenAndTheirs(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.create(child: 2, of: 1)
    try ledger.create(child: 3, of: 2)
    try ledger.create(child: 4, of: 1)
    try ledger.create(5)
    // It has something to undo.
    try ledger.claim(4)
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    for number in 2...3 {
      #expect(try ledger.outcome(number) == .init(kind: .cancelled, content: Array("no need".utf8)))
    }
    #expect(try ledger.promise(1).progress?.cancelRequest?.reason == "no need")
    #expect(try ledger.promise(4).progress?.cancelRequest?.reason == "no need")
    #expect(try ledger.promise(5).status == .pending)
    #expect(try ledger.newestEvents().count == 4)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func childrenThatUndoSomethingRun(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    try ledger.create(child: 2, of: 1)
    #expect(try ledger.claim(2) == ["started 1"])
    try ledger.create(child: 3, of: 1)
    try ledger.finish(1, .finalFailure)
    #expect(try ledger.outcome(1)?.kind == .cancelled)
    #expect(try ledger.claim(3) == ["started 1"])
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func promisesThatAreSettledFromOutsideAreLeftAlone(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.commit(
      CreatePromise(
        id: .numbered(2),
        creation: PromiseCreated(typeTag: "text", lifetime: .untilSettled, parent: .numbered(1)),
        isStrict: true))
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    #expect(try ledger.outcome(1)?.kind == .cancelled)
    #expect(try ledger.promise(2).status == .pending)
  }

  /// Nothing would cancel them.
  @Test(arguments: WorkLedger.Form.allCases)
  func workThatEndedHasNoNewChildren(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.create(child: 2, of: 1)
    try ledger.finish(1)
    let error = #expect(throws: LedgerError.self) { try ledger.create(child: 3, of: 1) }
    #expect(error?.code == .superseded)
    #expect(try ledger.state.promise(.numbered(3)) == nil)
    // The code finds those that were there before.
    #expect(try ledger.promise(2).status == .pending)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func oneCommitCancelsALimitedNumberAndClaimsTheRest(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.commit(
      together: (2...301).map { CreatePromise(work: $0, parent: .numbered(1)) })
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    let left = try (2...301).filter { try ledger.promise($0).status == .pending }
    #expect(left.count == 44)
    for number in left { #expect(try ledger.claim(number) == ["ended"]) }
    for number in 2...301 {
      #expect(try ledger.outcome(number) == .init(kind: .cancelled, content: Array("no need".utf8)))
    }
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func aRepeatedCancellationSparesChildrenThatUndoSomething(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.create(child: 2, of: 1)
    let command = CancelWork(id: .numbered(1), reason: "no need")
    try ledger.commit(command)
    try ledger.create(child: 3, of: 1)
    try ledger.commit(command)
    #expect(try ledger.outcome(2)?.kind == .cancelled)
    #expect(try ledger.promise(3).status == .pending)
  }

  /// Its code may have something to undo.
  @Test(arguments: WorkLedger.Form.allCases)
  func workLearnsOfItsCancellationAlthoughItsTimeIsOver(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1, options: WorkOptions(givesUpAfter: .second(2_000)))
    try ledger.claim(1)
    try ledger.finishStep()
    try ledger.commit(ReleaseWork(id: .numbered(1), attempt: 1, reason: .closed))
    try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    ledger.context.now = .second(3_000)
    #expect(try ledger.claim(1) == ["started 2"])
    try ledger.finishStep("ship", .cancelled, attempt: 2)
    // What it undoes may fail at first.
    #expect(try ledger.finish(1, .failure) == "retrying")
    ledger.context.now = .second(900_000)
    #expect(try ledger.claim(1) == ["started 3"])
  }

  /// More children than one commit can cancel, beside promises that are settled from outside.
  @Test(arguments: WorkLedger.Form.allCases)
  func moreCommitsCancelTheRest(form: WorkLedger.Form) throws {
    let ledger = try WorkLedger(form)
    try ledger.create(1)
    try ledger.claim(1)
    try ledger.createPromise(2)
    try ledger.commit(
      together: (3...302).map { number in
        CreatePromise(
          id: .numbered(number),
          creation: PromiseCreated(typeTag: "text", lifetime: .untilSettled, parent: .numbered(1)),
          isStrict: true)
      })
    try ledger.commit(
      together: (303...602).map {
        CreatePromise(work: $0, .after(.numbered(2), .any), parent: .numbered(1))
      })
    try ledger.create(child: 603, of: 400)
    let answer = try ledger.commit(CancelWork(id: .numbered(1), reason: "no need"))
    guard case .requested(_, let parentsLeft) = answer else {
      Issue.record("\(answer)")
      return
    }
    // One that undoes something.
    try ledger.create(child: 604, of: 1)
    var parents = parentsLeft
    #expect(parents == [.numbered(1)])
    while let parent = parents.popLast() {
      var last: PromiseID?
      repeat {
        let position = ledger.position
        let answer = try ledger.commit(CancelChildren(of: parent, after: last))
        #expect(ledger.position.rawValue - position.rawValue <= UInt64(CancelChildren.limit))
        parents += answer.parentsLeft
        last = answer.last
      } while last != nil
    }
    for number in 303...603 { #expect(try ledger.outcome(number)?.kind == .cancelled) }
    for number in [3, 302, 604] { #expect(try ledger.promise(number).status == .pending) }
  }

  @Test func aFullLedgerCancelsAtLeastTheWorkItself() throws {
    let ledger = try WorkLedger()
    try ledger.create(1)
    try ledger.create(child: 2, of: 1)
    let size = 200
    ledger.context.room = CommitRoom(bytes: size, bytesWithReserve: size)
    try ledger.commit(CancelWork(id: .numbered(1), reason: String(repeating: "x", count: 60)))
    #expect(try ledger.promise(1).status == .resolved)
    #expect(try ledger.promise(2).status == .pending)
    ledger.context.room = .unlimited
    #expect(try ledger.claim(2) == ["ended"])
  }
}

extension WorkLedger {
  func create(child number: Int, of parent: Int) throws {
    try commit(CreatePromise(work: number, parent: .numbered(parent)))
  }
}
