import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The walk that makes no records visits the same promises as the one that does, and finds the same damage.
@Suite(.timeLimit(.minutes(10))) struct OpenPromiseWalkTests {
  private static func sample(_ form: WorkLedger.Form) throws -> WorkLedger {
    let ledger = try WorkLedger(form)
    for number in 1...6 { try ledger.createPromise(number) }
    try ledger.resolve(2)
    try ledger.resolve(3, .rejected)
    try ledger.commit(ConsumePromise(id: .numbered(2), delivery: .recordedBefore))
    try ledger.commit(AbandonPromise(id: .numbered(4), reason: "gone"))
    return ledger
  }

  private typealias Walk = Result<[PromiseID], LedgerError>

  /// What both walks visit; the error instead if one fails.
  private static func walks(_ ledger: WorkLedger) throws -> (records: Walk, entities: Walk) {
    let replayed = try ledger.replayed()
    func ids(_ body: (inout [PromiseID]) throws -> Void) throws -> Walk {
      var ids: [PromiseID] = []
      do {
        try body(&ids)
        return .success(ids)
      } catch let error as LedgerError {
        return .failure(error)
      }
    }
    let records = try ids { ids in
      try replayed.forEachPromise { record in
        ids.append(record.id)
        return true
      }
    }
    let entities = try ids { ids in
      try replayed.forEachOpenPromise { promise in
        ids.append(promise.id)
        return true
      }
    }
    return (records, entities)
  }

  @Test(arguments: WorkLedger.Form.allCases)
  func theSamePromisesAreVisited(form: WorkLedger.Form) throws {
    let (records, entities) = try Self.walks(Self.sample(form))
    #expect(try entities.get() == [1, 3, 5, 6].map(PromiseID.numbered))
    #expect(try records.get() == entities.get())
  }

  /// Payloads that replay takes, because it does not decode them, although they cannot be decoded.
  @Test(arguments: WorkLedger.Form.allCases, [true, false])
  func theSameDamageIsFound(form: WorkLedger.Form, isOfOutcome: Bool) throws {
    let ledger = try Self.sample(form)
    let creation = PromiseCreated(typeTag: "t", label: "label").encoded
    let id = EntityID.numbered(9)
    try ledger.append([
      .raw(
        .promiseCreated, on: id, payload: isOfOutcome ? creation : creation.dropLast() + [0xFF])
    ])
    if isOfOutcome {
      let outcome = PromiseResolved(outcome: .rejected, resolvedAt: .at(1), content: [1])
      try ledger.append([.of(outcome, on: id)])
    }
    let (records, entities) = try Self.walks(ledger)
    let errors = [records, entities].map { walk in
      #expect(throws: LedgerError.self) { try walk.get() }
    }
    #expect(errors.map { $0?.code } == [.corrupt, .corrupt])
    #expect(errors[0]?.message == errors[1]?.message)
  }
}
