import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// A command that fails inside a group leaves no trace, and its neighbours keep all their effects.
@Suite(.timeLimit(.minutes(10))) struct RollbackTests {
  /// Appends events and then fails.
  struct FailHalfWay: Command {
    let ids: [PromiseID]

    func decide(in decision: inout Decision) throws(LedgerError) {
      for id in ids {
        if try decision.promise(id) == nil {
          try decision.append(PromiseCreated(typeTag: "text"), to: id.entityID)
        }
        try decision.append(PromiseAbandoned(reason: "half-way"), to: id.entityID)
      }
      throw LedgerError(.invalidArgument, "half-way")
    }
  }

  private func id(_ number: Int) -> PromiseID { .numbered(number) }

  private func fail(_ ids: [PromiseID], in decision: inout Decision) {
    #expect(throws: LedgerError.self) { try decision.run(FailHalfWay(ids: ids)) }
  }

  @Test func aCommandThatFailsHalfWayLeavesNoEvent() throws {
    let ledger = PureLedger()
    var decision = ledger.decision()

    fail([id(1), id(2)], in: &decision)

    #expect(decision.batch.isEmpty)
    #expect(decision.batch.bytes.isEmpty)
    #expect(decision.staged.position == .start)
    #expect(try decision.promise(id(1)) == nil)
  }

  @Test func theNeighboursOfACommandThatFailsHalfWayStayIntact() throws {
    var alone = PureLedger()
    var withFailure = PureLedger()

    for (index, fails) in [false, true].enumerated() {
      var decision = PureLedger().decision()
      _ = try decision.run(CreatePromise(id(1)))
      if fails { fail([id(1), id(3)], in: &decision) }
      _ = try decision.run(ResolvePromise(id(1)))
      if fails { fail([id(1), id(4)], in: &decision) }
      _ = try decision.run(CreatePromise(id(2)))
      if index == 0 { alone.keep(decision) } else { withFailure.keep(decision) }
    }

    #expect(withFailure.frames == alone.frames)
    #expect(withFailure.state.contents == alone.state.contents)
    #expect(try withFailure.replayed().contents == alone.state.contents)
  }

  @Test func aCommandThatFailsHalfWayLeavesTheAttachmentsOfItsNeighbours() throws {
    let large = [UInt8](repeating: 1, count: 10_000)
    var decision = PureLedger().decision()
    _ = try decision.run(CreatePromise(id(1)))
    _ = try decision.run(ResolvePromise(id(1), content: large))

    fail([id(2), id(3)], in: &decision)

    #expect(decision.batch.attachments.map(\.index) == [1])
    #expect(decision.batch.attachmentByteCount == large.count)
  }

  @Test func truncatingABatchDropsTheAttachmentsBehindTheCut() throws {
    var batch = EventBatch()
    for number in 1...4 {
      var event = NewEvent.of(PromiseCreated(typeTag: "text"), on: id(number).entityID)
      event.attachment = [UInt8](repeating: 1, count: number)
      try batch.append(event)
    }
    var expected = EventBatch()
    for number in 1...2 {
      var event = NewEvent.of(PromiseCreated(typeTag: "text"), on: id(number).entityID)
      event.attachment = [UInt8](repeating: 1, count: number)
      try expected.append(event)
    }

    batch.truncate(toCount: 2)

    #expect(batch.bytes == expected.bytes)
    #expect(batch.ends == expected.ends)
    #expect(batch.attachments.map(\.bytes) == expected.attachments.map(\.bytes))
    #expect(batch.attachmentByteCount == 3)
  }

  @Test func aLaterCommandOfTheGroupSeesTheStagedStateOfAnEarlierOne() throws {
    var decision = PureLedger().decision()

    _ = try decision.run(CreatePromise(id(1)))

    #expect(try decision.run(ResolvePromise(id(1))).verdict == .resolved)
    #expect(try decision.run(ResolvePromise(id(1))).verdict == .alreadyResolved)
  }

  @Test func aDroppedDecisionLeavesTheStateAsItWas() throws {
    var ledger = PureLedger()
    try ledger.commit(CreatePromise(id(1)))
    let before = ledger.state.contents

    var decision = ledger.decision()
    _ = try decision.run(ResolvePromise(id(1)))

    #expect(ledger.state.contents == before)
    #expect(try ledger.commit(ResolvePromise(id(1))).verdict == .resolved)
  }
}
