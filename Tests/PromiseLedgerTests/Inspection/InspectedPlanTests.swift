import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The plans of inspection for a compaction, before and after it.
@Suite(.timeLimit(.minutes(10))) struct InspectedPlanTests {
  private static let configuration = CompactionSample.configuration()

  @Test(arguments: [
    CompactionPolicy(), .foldOnly, CompactionSample.events, CompactionSample.everything,
  ])
  func planIsThatOfTheLedger(policy: CompactionPolicy) async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let inspector = try BlockingInspector(at: temporary.path)
    for _ in 0..<3 {
      _ = try await CompactionSample.fill(ledger, 20)
      let plan = try await ledger.plan(policy)
      #expect(try inspector.plan(policy, now: plan.time) == plan)
      try await ledger.compact(CompactionSample.events)
    }
    await ledger.close()
  }

  @Test func archiveIsPlannedByName() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    _ = try await CompactionSample.fill(ledger, 20)
    var policy = CompactionSample.events
    policy.archiveDirectory = "/archives"
    let plan = try await ledger.plan(policy)
    #expect(plan.archivePath?.hasPrefix("/archives/\(ledger.id)-") == true)
    #expect(try BlockingInspector(at: temporary.path).plan(policy, now: plan.time) == plan)
    await ledger.close()
  }

  @Test func kindsOfSubjectsHideNoOther() async throws {
    let temporary = try TemporaryLedger()
    var ids: [SessionID] = []
    for _ in 0..<12 {
      let ledger = try await temporary.open(as: .operator, configuration: Self.configuration)
      ids.append(ledger.session)
      await ledger.close()
    }
    let ledger = try await temporary.open(configuration: Self.configuration)
    try await ledger.compact(.foldOnly)
    let promise = try await ledger.createPromise(of: Int.self).id
    let handler = try await ledger.handler(named: "h")
    for isFolded in [false, true] {
      if isFolded { try await ledger.compact(.foldOnly) }
      let replayed = try BlockingInspector(at: temporary.path).replay()
      let found = try replayed.subjects(
        from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max),
        of: [.promise, .handler], limit: 3)
      #expect(Set(found) == [.promise(promise), .handler(handler)], "folded: \(isFolded)")
      let sessions = try replayed.subjects(
        from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max), of: [.session],
        limit: 5)
      #expect(sessions.count == 5, "folded: \(isFolded)")
    }
    let replayed = try BlockingInspector(at: temporary.path).replay()
    let record = try #require(try replayed.record(of: ids[0]))
    #expect(record.id == ids[0] && record.status == .ended(.closed))
    #expect(record.opened.role == .operator)
    #expect(try replayed.record(of: SessionID(entityID: .numbered(1))) == nil)
    await ledger.close()
  }

  @Test func reasonsForMissingHandlersTellOfRemoval() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let keyed = try await ledger.handler(named: "gone")
    let random = HandlerID(
      entityID: Self.configuration.idGenerator.makeID(
        at: Timestamp(
          nanosecondsSinceEpoch: 1_000_000_000_000_000_000)))
    _ = try await ledger.engine.submit(
      CreateHandler(id: random, HandlerDescription(kind: "k"), arguments: .none))
    for id in [keyed, random] {
      _ = try await ledger.engine.submit(
        InvalidateHandler(
          id: id, call: CallID(entityID: id.entityID), reason: "", arguments: .none,
          runsCode: false))
    }
    try await ledger.compact(CompactionSample.everything)
    let replayed = try BlockingInspector(at: temporary.path).replay()
    #expect(try replayed.record(of: keyed) == nil)
    #expect(try replayed.reason(forMissing: keyed).code == .recordRemoved)
    #expect(try replayed.reason(forMissing: keyed.entityID).code == .recordRemoved)
    let old = try replayed.reason(forMissing: random)
    #expect(old.code == .handlerNotFound && old.message.contains("were removed"))
    let never = try replayed.reason(forMissing: try HandlerKey("never").handlerID)
    #expect(never.code == .handlerNotFound && !never.message.contains("were removed"))
    await ledger.close()
  }

  // MARK: Removals by a compaction during the inspection

  @Test func valuesOfDeletedEventsAreNoDamage() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration)
    let promise = try await ledger.createPromise(of: String.self)
    try await promise.reject(
      StoredError(domain: "d", code: 1, message: String(repeating: "x", count: 9_000)))
    _ = try await promise.consume { _ in }
    let inspector = try BlockingInspector(at: temporary.path)
    let event = try #require(try inspector.events().first { $0.attachmentByteCount > 0 })
    let held = try inspector.replay()
    #expect(try held.record(of: promise.id)?.outcome != nil)
    try await ledger.compact(CompactionSample.everything)
    let error = #expect(throws: LedgerError.self) { try inspector.attachment(of: event) }
    #expect(error?.code == .eventsDeleted)
    let gone = #expect(throws: LedgerError.self) {
      try held.attachment(of: event.position, byteCount: event.attachmentByteCount)
    }
    #expect(gone?.code == .eventsDeleted)
    await ledger.close()
  }
}

extension Ledger {
  /// Makes a handler with a key.
  fileprivate func handler(named key: String) async throws -> HandlerID {
    let id = try HandlerKey(key).handlerID
    _ = try await engine.submit(
      CreateHandler(id: id, HandlerDescription(kind: "k", key: key), arguments: .none))
    return id
  }
}
