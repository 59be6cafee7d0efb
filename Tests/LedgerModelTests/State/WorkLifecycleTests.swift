import LedgerModelTestSupport
import LedgerRuntimeTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The reducer's rules for the events of work, and work in snapshots.
@Suite(.timeLimit(.minutes(10))) struct WorkLifecycleTests {
  private static let id = PromiseID.numbered(1).entityID
  private static let work = PromiseCreated(
    typeTag: "t", lifetime: .untilSettled, source: .work(.init(kind: "k")))

  /// A step in the life of work.
  enum Step: Sendable {
    case started(UInt32)
    case released(UInt32, WorkReleased.Reason)
    case cancelRequested
    case amended(WorkAmended.Parking)
    case resolved(attempt: UInt32?)
    case consumed, abandoned

    var event: NewEvent {
      switch self {
      case .started(let attempt): .of(WorkStarted(attempt: attempt), on: id)
      case .released(let attempt, let reason):
        .of(
          WorkReleased(
            attempt: attempt, reason: reason, retryTime: reason == .retrying ? .at(5) : nil),
          on: id)
      case .cancelRequested: .of(WorkCancelRequested(reason: "r"), on: id)
      case .amended(let parking): .of(WorkAmended(parking: parking), on: id)
      case .resolved(let attempt):
        .of(
          PromiseResolved(
            outcome: .fulfilled, resolvedAt: .at(9), attempt: attempt, content: [0, 0, 0, 0]),
          on: id)
      case .consumed: .of(PromiseConsumed(delivery: .recordedBefore), on: id)
      case .abandoned: .of(PromiseAbandoned(reason: "gone"), on: id)
      }
    }
  }

  static let possible: [[Step]] = [
    [.started(1), .resolved(attempt: 1)],
    [.started(1), .released(1, .frozen), .started(2), .resolved(attempt: 2)],
    [.started(1), .released(1, .parked), .amended(.resumed), .started(2)],
    [.amended(.parked), .amended(.resumed), .started(1)],
    [.cancelRequested, .started(1), .resolved(attempt: nil)],
    // By force, by a deadline, before it started.
    [.resolved(attempt: nil)], [.started(1), .resolved(attempt: nil)], [.abandoned],
    [
      .started(1), .released(1, .died), .started(2), .released(2, .died), .started(3),
      .released(3, .retrying), .started(4), .released(4, .died), .started(5),
    ],
  ]

  /// The last step is not possible.
  static let impossible: [[Step]] = [
    [.started(2)], [.started(1), .started(2)], [.started(1), .started(1)],
    [.released(1, .frozen)], [.started(1), .released(2, .frozen)],
    [.started(1), .released(1, .frozen), .released(1, .died)],
    [.started(1), .released(1, .parked), .started(2)], [.amended(.parked), .started(1)],
    [.started(1), .amended(.parked)],
    [.resolved(attempt: 1)], [.started(1), .resolved(attempt: 2)],
    [.started(1), .released(1, .frozen), .resolved(attempt: 1)],
    [.cancelRequested, .cancelRequested],
    [.resolved(attempt: nil), .started(1)], [.resolved(attempt: nil), .consumed],
    [.resolved(attempt: nil), .abandoned], [.resolved(attempt: nil), .resolved(attempt: nil)],
    [.resolved(attempt: nil), .amended(.parked)], [.abandoned, .started(1)], [.consumed],
    // Three deaths park it, unless its code ended by itself in between.
    [
      .started(1), .released(1, .died), .started(2), .released(2, .died), .started(3),
      .released(3, .died), .started(4),
    ],
    [
      .started(1), .released(1, .died), .started(2), .released(2, .died), .started(3),
      .released(3, .frozen), .started(4), .released(4, .died), .started(5),
    ],
  ]

  private func ledger(_ steps: [Step], creation: PromiseCreated = Self.work) throws -> PureLedger {
    var ledger = PureLedger()
    try ledger.append([.of(creation, on: Self.id)])
    for step in steps { try ledger.append([step.event]) }
    return ledger
  }

  @Test(arguments: possible.indices)
  func aPossibleLifeIsReplayed(index: Int) throws {
    #expect(try ledger(Self.possible[index]).state.blocked.isEmpty)
  }

  @Test(arguments: impossible.indices)
  func anImpossibleStepBlocksTheWorkAndChangesNothing(index: Int) throws {
    let steps = Self.impossible[index]
    let before = try ledger(steps.dropLast()).state
    #expect(before.blocked.isEmpty)
    let after = try ledger(steps).state
    #expect(after.blocked[Self.id] != nil)
    #expect(try after.promise(.numbered(1)) == before.promise(.numbered(1)))
  }

  @Test func eventsOfWorkOnAnotherPromiseAreImpossible() throws {
    for step in [Step.started(1), .cancelRequested, .amended(.parked), .resolved(attempt: 1)] {
      let state = try ledger([step], creation: PromiseCreated(typeTag: "t")).state
      #expect(state.blocked[Self.id] != nil, "\(step)")
    }
  }

  @Test func aPayloadOfAnotherVersionThanTheLowestIsDamage() throws {
    for (payload, version) in [(Self.work.encoded, 1), (PromiseCreated(typeTag: "t").encoded, 2)]
      as [([UInt8], UInt16)]
    {
      var ledger = PureLedger()
      try ledger.append([.raw(.promiseCreated, version: version, on: Self.id, payload: payload)])
      #expect(ledger.state.blocked[Self.id] != nil, "version \(version)")
    }
  }

  // MARK: Snapshots

  /// Three times, once for each trigger, nothing happens.
  private static let lives: [[Step]] =
    possible + impossible.map { Array($0.dropLast()) } + [[], [], []]

  /// Work in every phase, each promise with another id.
  private func everyPhase() throws -> PureLedger {
    var ledger = PureLedger()
    try ledger.commit(OpenSession(.sample()))
    let lane = try WorkLane("lane", width: 2)
    let options = WorkOptions(priority: 3, lane: lane)
    for (number, steps) in Self.lives.enumerated() {
      let id = PromiseID.numbered(number + 1).entityID
      let triggers: [WorkTrigger] = [
        .now, .at(.at(77)), .after(.numbered(1_000), .failed),
      ]
      let creation = PromiseCreated(
        typeTag: "t", deadline: .at(1 << 50),
        lifetime: number % 2 == 0 ? .untilConsumed : .untilSettled,
        parent: number % 3 == 0 ? .numbered(2_000) : nil,
        source: .work(
          .init(kind: "k\(number % 4)", trigger: triggers[number % 3], options: options)))
      try ledger.append([.of(creation, on: id)])
      for step in steps {
        var event = step.event
        event.subject = id
        try ledger.append([event])
      }
    }
    #expect(ledger.state.blocked.isEmpty)
    return ledger
  }

  @Test func workIsFoldedAndFoundAgain() throws {
    let ledger = try everyPhase()
    let store = InMemoryEventStore()
    try ledger.write(to: store)
    let whole = try ledger.replayed()
    let open = try whole.openWork()
    #expect(!open.isEmpty)
    var folder = Folder()
    while let step = try folder.step(of: store, through: ledger.state.position, limit: 1) {
      #expect(step.eventCount == 1)
      try #require(step.problem == nil)
      let state = try LedgerState.tail(of: store)
      #expect(try state.digest() == whole.digest())
      #expect(try state.openWork() == open)
      #expect(try state.openPromises().isEmpty)
      #expect(try state.runningWork(of: .numbered(1)) == whole.runningWork(of: .numbered(1)))
      #expect(try state.neededIDs() == whole.neededIDs())
    }
    let audit = try SnapshotAudit(store)
    #expect(audit.entities.values.filter { $0.type == .extendedPromise }.count == Self.lives.count)
    #expect(try store.snapshotSummary().counts.promises == 0)
    #expect(try store.snapshotSummary().counts.extendedPromises == UInt64(Self.lives.count))
    for kind in [OpenList.Kind.work, .dueWork, .timedWork, .awaitingWork, .lanes, .parkedWork]
    where try store.snapshotSummary().counts.lists[kind] == 0 {
      Issue.record("The list of \(kind) is empty.")
    }
    let summary = try store.snapshotSummary()
    #expect(try SnapshotSummary(decoding: summary.encoded) == summary)
  }

  @Test func aRecordThatItsOutlineContradictsIsDamage() throws {
    let ledger = try everyPhase()
    for work in try ledger.state.openWork() {
      let entity = LedgerEntity.promise(work)
      let content = entity.content
      #expect(
        try LedgerEntity(type: .extendedPromise, id: entity.id, content: content) == entity)
      for offset in content.indices {
        var damaged = content
        damaged[offset] ^= 1
        let read = try? LedgerEntity(type: .extendedPromise, id: entity.id, content: damaged)
        #expect(read == nil || read?.content == damaged, "\(work.id), \(offset)")
      }
      #expect(throws: LedgerError.self) {
        try LedgerEntity(type: .promise, id: entity.id, content: content)
      }
    }
  }

  @Test func aSessionThatEndsReleasesItsWork() throws {
    for reason in [SessionClosed.Reason.closed, .died] {
      var ledger = PureLedger(session: .numbered(1))
      try ledger.commit(OpenSession(.sample()))
      try ledger.append([.of(Self.work, on: Self.id), .of(WorkStarted(attempt: 1), on: Self.id)])
      #expect(try ledger.state.runningWork(of: .numbered(1)).count == 1)
      ledger.context.session = .numbered(2)
      try ledger.commit(CloseSession(id: .numbered(1), reason: reason))
      let progress = try #require(try ledger.state.promise(.numbered(1))?.progress)
      #expect(progress.release?.event.reason == (reason == .died ? .died : .closed))
      #expect(progress.deathCount == (reason == .died ? 1 : 0))
      #expect(try ledger.state.runningWork(of: .numbered(1)).isEmpty)
    }
  }
}
