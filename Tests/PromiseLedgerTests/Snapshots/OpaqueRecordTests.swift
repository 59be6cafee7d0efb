import LedgerLMDB
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// This version does not write to the ids of a later version's snapshot records, and everything
/// else continues.
@Suite(.timeLimit(.minutes(10))) struct OpaqueRecordTests {
  /// A ledger of this version with records of a later one.
  struct Subject {
    let temporary: TemporaryLedger
    let promise = PromiseID.numbered(1)
    let timer = PromiseID.numbered(2)
    let consumed = PromiseID.numbered(3)
    let handler = HandlerID.numbered(1)

    var path: String { temporary.path }

    init() async throws {
      temporary = try TemporaryLedger()
      let ledger = try await open()
      let engine = ledger.engine
      _ = try await engine.submit(CreatePromise(promise))
      _ = try await engine.submit(CreatePromise(timer, deadline: .at(2_000), effect: .fulfils))
      _ = try await engine.submit(CreatePromise(consumed))
      _ = try await engine.submit(ResolvePromise(consumed))
      _ = try await engine.submit(ConsumePromise(id: consumed, delivery: .recordedBefore))
      _ = try await engine.submit(CreateHandler(handler, scopes: ["scope"]))
      await ledger.close()
      try LaterVersion.change(temporary)
    }

    func open() async throws -> Ledger {
      try await temporary.open(configuration: CompactionSample.configuration())
    }

    /// The records of the later version, with their entries in lists, as they are stored.
    func stored() throws -> [String: [[UInt8]: [UInt8]]] {
      var stored: [String: [[UInt8]: [UInt8]]] = [:]
      let ids = Set(LaterVersion.unknown.map(\.id))
      for table in [SnapshotTable.entities, .parts, .open, .tombstones] {
        for entry in try CompactedLedger.entries(of: table.name, at: path)
        where ids.contains(TableChange(table, entry.key, nil).subject) {
          stored[table.name, default: [:]][entry.key] = entry.value
        }
      }
      return stored
    }

    /// The damage.
    func damage() throws -> [VerificationFinding] {
      try OpaqueRecordTests.findings(at: path).filter { $0.severity == .corrupt }
    }
  }

  private static let unknownPromises = LaterVersion.unknown.map { PromiseID(entityID: $0.id) }

  private static func findings(at path: String) throws -> [VerificationFinding] {
    var findings: [VerificationFinding] = []
    _ = try BlockingInspector(at: path).verify { findings.append($0) }
    return findings
  }

  // MARK: Reading

  @Test func theLedgerIsWhole() async throws {
    let subject = try await Subject()
    let findings = try Self.findings(at: subject.path)
    #expect(findings.map(\.severity) == findings.map { _ in .unsupported })
    let ids = LaterVersion.unknown.map(\.id).sorted()
    #expect(findings.filter { $0.position == nil }.compactMap(\.subject) == ids)
    #expect(findings.filter { $0.position != nil }.compactMap(\.subject).sorted() == ids)
    let statistics = try BlockingInspector(at: subject.path).statistics()
    #expect(statistics.unsupportedRecordCount == LaterVersion.unknown.count)
    #expect(statistics.promiseCounts.values.reduce(0, +) == 5)
    #expect(statistics.openHandlerCount == 1)
  }

  @Test func listsLeaveThemOut() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    #expect(try await ledger.handlers().map(\.id) == [subject.handler])
    #expect(try await ledger.handlers(inScope: "scope").map(\.id) == [subject.handler])
    #expect(try await ledger.unfinishedCalls().isEmpty)
    #expect(try await ledger.orphanedHandlers().map(\.id) == [subject.handler])
    #expect(try await ledger.preflight().map(\.handler) == [subject.handler])
    let open = [subject.promise, subject.timer, LaterVersion.promise, LaterVersion.timer]
    #expect(try await ledger.unconsumedPromises().map(\.id) == open)
    // Its creator may be alive.
    #expect(try await !ledger.stalePromises().map(\.id).contains(LaterVersion.promise))
    _ = try await ledger.invalidateAll(scope: "scope")
    await ledger.close()
    let replayed = try BlockingInspector(at: subject.path).replay()
    let found = try replayed.subjects(
      from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max), limit: .max)
    #expect(
      Set(found).isDisjoint(with: Self.unknownPromises.map(LedgerSubject.promise)))
  }

  @Test func aLookUpSaysWhy() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    for id in Self.unknownPromises {
      let error = await #expect(throws: LedgerError.self) { try await ledger.record(of: id) }
      #expect(error?.code == .unsupportedEvent)
      #expect(error?.message.contains("\(id)") == true)
      await #expect(throws: LedgerError.self) {
        try await ledger.promise(id: id, of: Int.self).consume()
      }
    }
    await ledger.close()
    let replayed = try BlockingInspector(at: subject.path).replay()
    for id in Self.unknownPromises {
      let error = #expect(throws: LedgerError.self) { try replayed.record(of: id) }
      #expect(error?.code == .unsupportedEvent)
    }
  }

  // MARK: Writing

  @Test func nothingIsWrittenToThem() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    let head = ledger.engine.replica.position
    for id in Self.unknownPromises {
      let handler = HandlerID(entityID: id.entityID)
      let writes: [(LedgerEngine) async throws -> Void] = [
        { _ = try await $0.submit(CreatePromise(id)) },
        { _ = try await $0.submit(ResolvePromise(id)) },
        { _ = try await $0.submit(ConsumePromise(id: id, delivery: .recordedBefore)) },
        { _ = try await $0.submit(AbandonPromise(id: id, reason: "")) },
        { _ = try await $0.submit(CreateHandler(handler)) },
        { _ = try await $0.submit(StartCall(handler, .numbered(5))) },
        { _ = try await $0.submit(InvalidateHandler(handler, .numbered(6))) },
      ]
      for (number, write) in writes.enumerated() {
        let error = await #expect(throws: LedgerError.self, "\(number)") {
          try await write(ledger.engine)
        }
        #expect(error?.code == .unsupportedEvent, "\(number)")
      }
    }
    #expect(ledger.engine.replica.position == head)
    await ledger.close()
  }

  @Test func effectsOnThemAreBlocked() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    let call = CallID.numbered(1)
    _ = try await ledger.engine.submit(StartCall(subject.handler, call))
    let effects = Self.unknownPromises.map { HandlerEffect(.resolvePromise(ResolvePromise($0))) }
    let own = HandlerEffect(.resolvePromise(ResolvePromise(subject.promise)))
    let answer = try await ledger.engine.submit(
      FinishCall(subject.handler, call, effects: effects + [own]))
    guard case .finished(let finished) = answer else {
      Issue.record("\(answer)")
      return
    }
    let blocked = [DecidedEffect.Verdict](repeating: .blocked, count: effects.count)
    #expect(finished.effects.map(\.verdict) == blocked + [.done])
    await ledger.close()
  }

  @Test func deadlinesBeforeOthersKeepNoneWaiting() async throws {
    let subject = try await Subject()
    let store = try LaterVersion.open(subject.temporary)
    var state = try LedgerState.tail(of: store)
    #expect(try state.due(at: .at(9_000), limit: 1) == [LaterVersion.timer])
    #expect(try state.nextDeadline()?.id == LaterVersion.timer)
    store.close()
    let ledger = try await subject.open()
    #expect(try await ledger.engine.settled(LaterVersion.timer).status == .resolved)
    await ledger.close()
  }

  @Test func aDamagedOneFailsByItself() async throws {
    let subject = try await Subject()
    let key = SnapshotRecord.key(LaterVersion.timer.entityID)
    try CompactedLedger.edit(subject.path) { transaction, tables in
      try transaction.put(
        [UInt8](repeating: 7, count: 90).span, forKey: key.span, in: try tables("entities"))
    }
    let ledger = try await subject.open()
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    #expect(try await promise.consume() == 1)
    let error = await #expect(throws: LedgerError.self) {
      try await ledger.record(of: LaterVersion.timer)
    }
    #expect(error?.code == .corrupt)
    await ledger.close()
  }

  /// Behind the gate, each look takes a view of the store.
  @Test func deadlinesAreLookedUpTogether() async throws {
    let subject = try await Subject()
    let store = try LaterVersion.open(subject.temporary)
    let outline = try SnapshotReader(store).excerpt(SnapshotNeeds())
    let replica = Replica(LedgerState(snapshot: SnapshotReader(outline)))
    let looks = Mutex(0)
    let due = try replica.look(with: store) { state in
      looks.withLock { $0 += 1 }
      return try state.due(at: .at(9_000), limit: 256)
    }
    #expect(due == [LaterVersion.timer])
    // The list, then all records at once, then the answer.
    #expect(looks.withLock { $0 } == 3)
    store.close()
  }

  @Test func theRunsOfADeadSessionAreNotLost() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    try await ledger.engine.submit(CloseSession(id: LaterVersion.runner, reason: .died))
    let session = try await ledger.engine.read { try $0.session(LaterVersion.runner) }
    #expect(session?.isEnded == false)
    await ledger.close()
  }

  // MARK: Compacting

  @Test func compactionFoldsAroundThem() async throws {
    let subject = try await Subject()
    let before = try subject.stored()
    #expect(before.mapValues(\.count) == ["entities": 5, "parts": 4, "open": 9])
    let ledger = try await subject.open()
    _ = try await ledger.engine.submit(ResolvePromise(subject.promise))
    let report = try await ledger.compact(CompactionSample.everything)
    #expect(report.problem == nil)
    #expect(report.deletedEvents > 0)
    #expect(report.removedRecords == 0)
    #expect(try await ledger.record(of: subject.consumed)?.status == .consumed)
    await ledger.close()
    #expect(try subject.stored() == before)
    #expect(try subject.damage() == [])
    #expect(try Self.attachments(in: subject.path) == [9_000])
  }

  @Test func anEventOnOneStopsFoldingAndNotTheLedger() async throws {
    let subject = try await Subject()
    let id = LaterVersion.unknown[2].id
    try LaterVersion.append(
      [.of(PromiseConsumed(delivery: .recordedBefore), on: id)], to: subject.temporary)
    let ledger = try await subject.open()
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    #expect(try await promise.consume() == 1)
    let report = try await ledger.compact(CompactionSample.everything)
    #expect(report.problemCode == .unsupportedEvent)
    #expect(report.problem?.contains("\(id)") == true)
    #expect(report.deletedEvents == 0)
    #expect(try await ledger.handlers().count == 1)
    await ledger.close()
    #expect(try await subject.open().record(of: promise.id)?.status == .consumed)
  }

  // MARK: Archives

  @Test func anArchiveHoldsThem() async throws {
    let subject = try await Subject()
    let ledger = try await subject.open()
    _ = try await ledger.engine.submit(ResolvePromise(subject.promise))
    _ = try await ledger.compact(CompactionSample.everything)
    await ledger.close()
    let inspector = try BlockingInspector(at: subject.path)
    let archive = try ArchiveFile(inspector.archive())
    try Self.makeLedger(from: archive)
    let imported = try BlockingInspector(at: archive.target)
    #expect(try imported.archive() == inspector.archive())
    #expect(try imported.replay().digest() == inspector.replay().digest())
    #expect(try Self.findings(at: archive.target).filter { $0.severity == .corrupt } == [])
    #expect(try Self.attachments(in: archive.target) == [9_000])
  }

  private static func makeLedger(from archive: ArchiveFile) throws {
    try LedgerImport().makeLedger(at: archive.target, from: archive.path)
  }

  /// The sizes of the values that are owned by records of the later version.
  private static func attachments(in path: String) throws -> [Int] {
    let store = try BlockingInspector(at: path).store
    let snapshot = try SnapshotReader(store)
    return try LaterVersion.unknown.flatMap { unknown -> [Int] in
      guard case .opaque(let opaque)? = try snapshot.entity(unknown.id) else {
        Issue.record("\(unknown.id) is not opaque")
        return []
      }
      return try opaque.outline.attachments.map {
        let content = try store.attachment(of: $0.position, byteCount: $0.byteCount)
        #expect(content == LaterVersion.attachment(of: unknown))
        return content.count
      }
    }
  }
}
