import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct TypeAndKeyTests {
  private let id = PromiseID.numbered(1)

  private func ledger(createKey: String? = nil) throws -> PureLedger {
    var ledger = PureLedger()
    try ledger.commit(CreatePromise(id, idempotencyKey: createKey))
    return ledger
  }

  @Test func aFulfilmentOfAnotherTypeIsRefusedAndChangesNothing() throws {
    var ledger = try ledger()
    let before = ledger.state.contents

    let error = #expect(throws: LedgerError.self) {
      try ledger.commit(ResolvePromise(id, typeTag: "number"))
    }
    #expect(error?.code == .typeMismatch)
    #expect(ledger.state.contents == before)
  }

  @Test(arguments: ["text", nil])
  func aFulfilmentOfTheSameOrNoTypeIsTaken(typeTag: String?) throws {
    var ledger = try ledger()

    #expect(try ledger.commit(ResolvePromise(id, typeTag: typeTag)).verdict == .resolved)
  }

  @Test func adoptingAPromiseOfAnotherTypeIsRefused() throws {
    var ledger = try ledger()
    let adopt = CreatePromise(
      id: id, creation: PromiseCreated(typeTag: "number"), isStrict: false, adoptsAny: true)

    let error = #expect(throws: LedgerError.self) { try ledger.commit(adopt) }
    #expect(error?.code == .typeMismatch)
  }

  @Test func adoptingFindsAPromiseWhateverItsKeyAndState() throws {
    var ledger = try ledger(createKey: "key")
    try ledger.commit(ResolvePromise(id))
    try ledger.commit(AbandonPromise(id: id, reason: ""))
    let adopt = CreatePromise(
      id: id, creation: PromiseCreated(typeTag: "text"), isStrict: false, adoptsAny: true)

    #expect(try ledger.commit(adopt).verdict == .deduplicated)
  }

  @Test func aResolveWithTheCreateKeyIsNotTakenForARepetition() throws {
    var ledger = try ledger(createKey: "key")
    try ledger.commit(ResolvePromise(id, idempotencyKey: "other"))

    let resolve = ResolvePromise(id, idempotencyKey: "key", isStrict: false)
    #expect(try ledger.commit(resolve).verdict == .alreadyResolved)
  }

  @Test func aCreationWithTheResolveKeyIsNotTakenForARepetition() throws {
    var ledger = try ledger(createKey: "other")
    try ledger.commit(ResolvePromise(id, idempotencyKey: "key"))

    #expect(try ledger.commit(CreatePromise(id, idempotencyKey: "key")).verdict == .conflict)
  }

  @Test func aPromiseMadeByAnotherSessionIsResolvedByTheFirstOfTwo() throws {
    var ledger = try ledger()
    ledger.context.session = .numbered(2)
    #expect(try ledger.commit(ResolvePromise(id, .cancelled)).verdict == .resolved)
    ledger.context.session = .numbered(3)
    #expect(try ledger.commit(ResolvePromise(id)).verdict == .alreadyResolved)

    let resolution = try #require(try ledger.state.promise(id)?.resolution)
    #expect(resolution.outcome == .cancelled)
    #expect(resolution.fact.session == .numbered(2))
  }

  @Test func contentThatDoesNotFitIntoTheEventIsAttached() throws {
    var ledger = try ledger()
    let content = [UInt8](repeating: 5, count: EventBatch.maximumPayloadByteCount + 1)
    var decision = ledger.decision()
    _ = try decision.run(ResolvePromise(id, content: content))

    #expect(decision.batch.attachments.map(\.bytes) == [content])
    ledger.keep(decision)
    #expect(try ledger.state.promise(id)?.resolution?.attachmentByteCount == content.count)
    #expect(try ledger.replayed().contents == ledger.state.contents)
  }

  @Test(arguments: [-1, 0, 1])
  func contentGoesIntoTheEventUpToTheLastByte(excess: Int) throws {
    let ledger = try ledger()
    // 16 bytes of fields precede the content.
    let content = [UInt8](repeating: 5, count: EventBatch.maximumPayloadByteCount - 16 + excess)
    var decision = ledger.decision()
    _ = try decision.run(ResolvePromise(id, content: content))

    #expect(decision.batch.attachments.isEmpty == (excess <= 0))
  }
}
