import LedgerModelTestSupport
import LedgerRuntimeTesting
import Testing

@testable import LedgerModel

/// The effect of events that replay cannot apply.
@Suite(.timeLimit(.minutes(10))) struct BlockedSubjectTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let name: String
    let kind: EventKind
    let payload: [UInt8]
    var testDescription: String { name }
  }

  private let id = PromiseID.numbered(1)
  private let neighbour = PromiseID.numbered(2)

  /// A ledger with two pending promises.
  private func ledger() throws -> PureLedger {
    var ledger = PureLedger()
    try ledger.commit(CreatePromise(id))
    try ledger.commit(CreatePromise(neighbour))
    return ledger
  }

  static let unknown: [NewEvent] = [
    .raw(EventKind(rawValue: 999), on: PromiseID.numbered(1).entityID),
    .raw(EventKind(rawValue: 0), on: PromiseID.numbered(1).entityID),
    .raw(EventKind(rawValue: 999), on: PromiseID.numbered(1).entityID),
    .raw(.promiseResolved, version: 3, on: PromiseID.numbered(1).entityID),
    .raw(.promiseConsumed, version: 0, on: PromiseID.numbered(1).entityID),
    .raw(.promiseAbandoned, version: .max, on: PromiseID.numbered(1).entityID),
  ]

  @Test(arguments: unknown.filter { $0.kind != .promiseConsumed && $0.kind != .promiseAbandoned })
  func anUnknownKindOrVersionStopsWritesToItsSubject(event: NewEvent) throws {
    var ledger = try ledger()
    try ledger.append([event])
    let before = ledger.state.contents

    let error = #expect(throws: LedgerError.self) { try ledger.commit(ResolvePromise(id)) }

    #expect(error?.code == .unsupportedEvent)
    #expect(ledger.state.contents == before)
  }

  @Test(arguments: unknown)
  func anUnknownEventIsReportedWithItsPosition(event: NewEvent) throws {
    var ledger = try ledger()
    if event.kind == .promiseConsumed { try ledger.commit(ResolvePromise(id)) }

    try ledger.append([event])

    let problem = try #require(ledger.state.blocked[id.entityID])
    #expect(problem.position == ledger.state.position)
    #expect(problem.reason == .unsupported(event.kind, version: event.version))
  }

  @Test(arguments: unknown)
  func anUnknownEventLeavesOtherSubjectsAlone(event: NewEvent) throws {
    var ledger = try ledger()

    try ledger.append([event])

    #expect(try ledger.commit(ResolvePromise(neighbour)).verdict == .resolved)
    #expect(ledger.state.blocked[neighbour.entityID] == nil)
  }

  @Test func aPromiseWhoseCreationIsUnknownIsNotAnsweredAsNotFound() throws {
    var ledger = PureLedger()
    try ledger.append([.raw(.promiseCreated, version: 3, on: id.entityID)])

    let consume = ConsumePromise(id: id, delivery: .recordedBefore)
    let errors = [
      #expect(throws: LedgerError.self) { try ledger.commit(CreatePromise(id)) },
      #expect(throws: LedgerError.self) { try ledger.commit(ResolvePromise(id)) },
      #expect(throws: LedgerError.self) { try ledger.commit(consume) },
      #expect(throws: LedgerError.self) { try ledger.commit(AbandonPromise(id: id, reason: "")) },
    ]
    #expect(errors.map(\.?.code) == Array(repeating: .unsupportedEvent, count: 4))
  }

  @Test func aSubjectKeepsTheFirstProblem() throws {
    var ledger = try ledger()
    try ledger.append([
      .raw(EventKind(rawValue: 999), on: id.entityID),
      .raw(EventKind(rawValue: 998), on: id.entityID),
    ])

    #expect(
      ledger.state.blocked[id.entityID]?.reason
        == .unsupported(EventKind(rawValue: 999), version: 1))
  }

  static let damages: [Damage] = [
    Damage(name: "creation: nothing", kind: .promiseCreated, payload: []),
    Damage(
      name: "creation: text passes the end", kind: .promiseCreated,
      payload: [0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 65]),
    Damage(
      name: "creation: fewer tags than told", kind: .promiseCreated,
      payload: [0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 65]),
    Damage(
      name: "creation: a byte too many", kind: .promiseCreated,
      payload: [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 65, 0]),
    Damage(
      name: "creation: deadline effect 2", kind: .promiseCreated,
      payload: [0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 65]),
    Damage(
      name: "creation: no room for the deadline", kind: .promiseCreated,
      payload: [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 65]),
    Damage(name: "resolution: nothing", kind: .promiseResolved, payload: []),
    Damage(
      name: "resolution: outcome 4", kind: .promiseResolved,
      payload: [0, 4] + [UInt8](repeating: 0, count: 14)),
    Damage(
      name: "resolution: 15 bytes", kind: .promiseResolved,
      payload: [UInt8](repeating: 0, count: 15)),
    Damage(
      name: "resolution: key passes the end", kind: .promiseResolved,
      payload: [1, 0] + [UInt8](repeating: 0, count: 14) + [2, 0, 65]),
    Damage(
      name: "resolution: content although it is attached", kind: .promiseResolved,
      payload: [2, 0] + [UInt8](repeating: 0, count: 14) + [65]),
    Damage(name: "consumption: delivery 2", kind: .promiseConsumed, payload: [2]),
    Damage(name: "consumption: nothing", kind: .promiseConsumed, payload: []),
    Damage(name: "abandonment: not UTF-8", kind: .promiseAbandoned, payload: [1, 0, 0xFF]),
    Damage(name: "abandonment: nothing", kind: .promiseAbandoned, payload: []),
  ]

  @Test(arguments: damages)
  func aDamagedPayloadBlocksItsSubjectAndChangesNothingOfIt(damage: Damage) throws {
    var ledger = PureLedger()
    if damage.kind != .promiseCreated { try ledger.commit(CreatePromise(id)) }
    if damage.kind == .promiseConsumed { try ledger.commit(ResolvePromise(id)) }
    let before = try ledger.state.promise(id)

    try ledger.append([.raw(damage.kind, on: id.entityID, payload: damage.payload)])

    let problem = try #require(ledger.state.blocked[id.entityID])
    guard case .damagedPayload = problem.reason else {
      Issue.record("\(problem)")
      return
    }
    #expect(problem.refusal(of: id.entityID).code == .corrupt)
    #expect(try ledger.state.promise(id) == before)
  }

  @Test func aDamagedPayloadLeavesOtherSubjectsAlone() throws {
    var ledger = try ledger()

    try ledger.append([.raw(.promiseResolved, on: id.entityID, payload: [])])

    #expect(try ledger.commit(ResolvePromise(neighbour)).verdict == .resolved)
  }

  static let illegal: [[NewEvent]] = {
    let id = PromiseID.numbered(1).entityID
    let created = NewEvent.of(PromiseCreated(typeTag: "text"), on: id)
    let resolved = NewEvent.of(
      PromiseResolved(outcome: .cancelled, resolvedAt: .at(1), idempotencyKey: nil, content: []),
      on: id)
    let consumed = NewEvent.of(PromiseConsumed(delivery: .recordedAfter), on: id)
    let abandoned = NewEvent.of(PromiseAbandoned(reason: ""), on: id)
    return [
      [resolved], [consumed], [abandoned],
      [created, created], [created, consumed],
      [created, resolved, resolved], [created, resolved, created],
      [created, resolved, consumed, consumed], [created, resolved, consumed, resolved],
      [created, resolved, consumed, abandoned], [created, resolved, consumed, created],
      [created, abandoned, resolved], [created, abandoned, consumed],
      [created, abandoned, abandoned], [created, abandoned, created],
      [created, resolved, abandoned, consumed],
    ]
  }()

  @Test(arguments: illegal)
  func anIllegalTransitionBlocksItsSubjectAndChangesNothingOfIt(events: [NewEvent]) throws {
    var ledger = PureLedger()
    try ledger.append(Array(events.dropLast()))
    let before = try ledger.state.promise(id)
    try #require(ledger.state.blocked.isEmpty)

    try ledger.append(Array(events.suffix(1)))

    let problem = try #require(ledger.state.blocked[id.entityID])
    guard case .illegalTransition = problem.reason else {
      Issue.record("\(problem)")
      return
    }
    #expect(try ledger.state.promise(id) == before)
  }

  @Test(arguments: [1, 3, 9] as [UInt64])
  func anEventThatIsNotTheNextOneIsRefused(position: UInt64) throws {
    var state = try LedgerState.replaying(ledger().frames.prefix(1))
    let frame = try stray(at: position)

    let error = #expect(throws: LedgerError.self) { try frame.replay(into: &state) }

    #expect(error?.code == .corrupt)
    #expect(state.position == Position(rawValue: 1))
  }

  /// A newer build made the promise, and folded up to between two of its events.
  @Test func aSubjectStaysBlockedWhileTheSnapshotLacksAnEvent() throws {
    let store = InMemoryEventStore()
    let id = PromiseID.numbered(3)
    let resolved = PromiseResolved(
      outcome: .fulfilled, resolvedAt: .at(9), idempotencyKey: nil, content: [])
    var batch = EventBatch()
    try batch.append(.raw(.promiseCreated, version: 9, on: id.entityID))
    try batch.append(.of(PromiseCreated(typeTag: "text"), on: PromiseID.numbered(4).entityID))
    try batch.append(.of(resolved, on: id.entityID))
    let made = batch
    _ = try store.commit(
      CommitID(session: .numbered(1), number: 1), after: .start, patience: Patience(.seconds(5)),
      catchUp: { (_) throws(LedgerError) in }, decide: { (_, _) in made })
    var state = try LedgerState.tail(of: store)
    #expect(state.blocked[id.entityID]?.position == Position(rawValue: 1))

    let pending = try #require(try state.promise(.numbered(4)))
    let record = PromiseEntity(
      id: id, created: pending.created, creationPayload: pending.creationPayload, resolution: nil,
      closing: nil)
    for (position, isBlocked) in [(2, true), (3, false)] as [(UInt64, Bool)] {
      let summary = try store.snapshotSummary()
      var edit = SnapshotEdit(summary)
      if summary.position == .start { try edit.put(.promise(record), replacing: nil) }
      edit.new.position = Position(rawValue: position)
      edit.new.logDigest = LogDigest(position: edit.new.position, bytes: LogDigest.start.bytes)
      try store.apply(edit, patience: Patience(.seconds(5)))
      _ = try state.rebase(onto: SnapshotReader(store))
      #expect((state.blocked[id.entityID] != nil) == isBlocked, "folded to \(position)")
    }
  }

  private func stray(at position: UInt64) throws -> PureLedger.StoredFrame {
    var batch = EventBatch()
    try batch.append(.of(PromiseCreated(typeTag: "text"), on: PromiseID.numbered(3).entityID))
    let commit = CommitID(session: .numbered(1), number: 1)
    return batch.frames(from: Position(rawValue: position), commit: commit)[0]
  }
}

extension LedgerState {
  static func replaying(
    _ frames: some Sequence<PureLedger.StoredFrame>
  ) throws(LedgerError) -> LedgerState {
    var state = LedgerState()
    for frame in frames { try frame.replay(into: &state) }
    return state
  }
}
