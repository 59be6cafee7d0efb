import LedgerModelTestSupport
import LedgerRuntimeTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// A ledger with work, whose commands are decided as the writer decides them: on a copy of the state, which
/// knows only the parts of the snapshot that were read before, and again once the missing parts were read.
final class WorkLedger {
  /// The events that are folded into the snapshot before each command.
  enum Form: Sendable, CaseIterable {
    case inMemory, halfFolded, folded
  }

  /// A commit that was decided.
  private struct Decided<Answer> {
    let decision: Decision
    let answer: Answer
  }

  /// The outcome of a promise, without the effects of an attempt.
  struct Outcome: Sendable, Hashable {
    let kind: PromiseOutcomeKind
    let content: [UInt8]
  }

  let form: Form
  let store = InMemoryEventStore()
  /// The writer, the time and the room.
  var context = DecisionContext(session: .numbered(1), role: .app, now: .second(1_000))
  /// The events of every commit.
  private(set) var batches: [EventBatch] = []
  /// How often the newest commit was decided, because parts of the snapshot were missing.
  private(set) var decisionCount = 0
  private let replica = Replica()
  private var folder = Folder()

  /// - Parameter sessionCount: The number of open sessions; 1 writes.
  init(_ form: Form = .inMemory, sessionCount: Int = 3) throws {
    self.form = form
    for number in (1...sessionCount).reversed() {
      context.session = .numbered(number)
      try commit(OpenSession(.sample(instance: "instance \(number)")))
    }
  }

  // MARK: Deciding

  @discardableResult
  func commit<Answer>(_ command: some Command<Answer>, as session: Int? = nil) throws -> Answer {
    let own = context.session
    if let session { context.session = .numbered(session) }
    defer { context.session = own }
    var needs = SnapshotNeeds()
    command.addSubjects(to: &needs, in: context.session)
    return try decide(needs) { (decision) throws(LedgerError) in try decision.run(command) }
  }

  /// Decides commands of one kind in one commit.
  @discardableResult
  func commit<C: Command>(together commands: [C]) throws -> [C.Answer] {
    var needs = SnapshotNeeds()
    for command in commands { command.addSubjects(to: &needs, in: context.session) }
    return try decide(needs) { (decision) throws(LedgerError) -> [C.Answer] in
      var answers: [C.Answer] = []
      for command in commands { answers.append(try decision.run(command)) }
      return answers
    }
  }

  /// Decides several commands in one commit.
  ///
  /// - Parameter needs: What the commands are known to look up; the rest is found by repetition.
  @discardableResult
  func decide<Answer>(
    _ needs: SnapshotNeeds = SnapshotNeeds(),
    _ body: (inout Decision) throws(LedgerError) -> Answer
  ) throws -> Answer {
    var needs = needs
    needs.ids.insert(context.session.entityID)
    needs.checksLists = true
    let context = context
    decisionCount = 0
    let decided = try replica.decide(with: store, needs: needs) {
      (base) throws(LedgerError) -> Decided<Answer> in
      decisionCount += 1
      var decision = Decision(over: base, context: context)
      let answer = try body(&decision)
      return Decided(decision: decision, answer: answer)
    }
    let id = try write(decided.decision.batch)
    replica.merge(decided.decision.staged, of: id)
    try fold()
    return decided.answer
  }

  /// Appends events that no command made, such as those of a newer build.
  func append(_ events: [NewEvent]) throws {
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    _ = try write(batch)
    _ = try replica.catchUp(from: store)
    try fold()
  }

  private func write(_ batch: EventBatch) throws -> CommitID {
    batches.append(batch)
    let id = CommitID(session: context.session, number: UInt64(batches.count))
    try store.commit(id, after: replica.position, decide: { (_, _) in batch })
    return id
  }

  private func fold() throws {
    let head = try store.head()
    let end: Position
    switch form {
    case .inMemory: return
    case .halfFolded: end = Position(rawValue: head.rawValue / 2)
    case .folded: end = head
    }
    while let step = try folder.step(of: store, through: end, limit: 100), step.problem == nil {}
    try replica.rebase(from: store)
    replica.dropFolded(begins: true)
  }

  /// Replaces the record of a promise by one that only a later version can read, as that version would: it
  /// stays in the same lists.
  func foldAsLaterVersion(_ number: Int) throws {
    let id = PromiseID.numbered(number).entityID
    while let step = try folder.step(of: store, through: store.head(), limit: 100),
      step.problem == nil
    {}
    let old = try SnapshotReader(store).records([id])[0]
    let entries = try #require(try SnapshotReader(store).entity(id)).openEntries
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    _ = try write(NewEvent.raw(EventKind(rawValue: 999), on: id, at: context.now).alone)
    var edit = SnapshotEdit(try store.snapshotSummary())
    for (event, attachment) in try store.storedEvents(
      after: edit.new.position, through: store.head(), limit: .max, attachmentByteLimit: .max)
    {
      edit.new.position = event.position
      edit.new.time = max(edit.new.time, event.view.time)
      edit.new.logDigest = edit.new.logDigest.adding(event, attachment: try attachment.get())
      let outline = RecordOutline(
        isKeyed: false, lastPosition: event.position, lastTime: event.view.time, attachments: [],
        entries: entries)
      try edit.put(
        LedgerEntity(type: RecordType(kind: 1, layout: 9), id: id, content: outline.encoded),
        replacing: old)
    }
    try store.apply(edit, patience: Patience(.seconds(5)))
    _ = try replica.catchUp(from: store)
    replica.dropFolded(begins: true)
  }

  // MARK: Looking

  var position: Position { replica.position }

  /// The state, which reads missing parts of the snapshot by itself.
  var state: LedgerState { replica.copy(readingFrom: store) }

  func promise(_ number: Int) throws -> PromiseEntity {
    try #require(try state.promise(.numbered(number)))
  }

  /// The outcome of a promise; `nil` if it is pending or abandoned.
  func outcome(_ number: Int) throws -> Outcome? {
    guard let resolved = try promise(number).resolved() else { return nil }
    let content = try #require(resolved.content)
    return Outcome(
      kind: resolved.outcome,
      content: resolved.attempt == nil
        ? content : try PromiseResolved.outcome(ofAttempt: content).value)
  }

  /// The events of the newest commit.
  func newestEvents() throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    let count = batches.last?.count ?? 0
    let start = Position(rawValue: position.rawValue - UInt64(count))
    _ = try store.read(after: start, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent(after: start) { (event) throws(LedgerError) in
        events.append(LedgerEvent(copying: event))
      }
    }
    return events
  }
}

// MARK: - Work

extension WorkLedger {
  @discardableResult
  func create(
    _ number: Int, _ trigger: WorkTrigger = .now, kind: String = "k", typeTag: String = "text",
    options: WorkOptions = WorkOptions(), deadline: Timestamp? = nil
  ) throws -> CreatePromise.Answer {
    try commit(
      CreatePromise(
        work: number, trigger, kind: kind, typeTag: typeTag, options: options, deadline: deadline))
  }

  /// Creates a promise that is settled from outside.
  func createPromise(_ number: Int, deadline: Timestamp? = nil) throws {
    try commit(CreatePromise(.numbered(number), deadline: deadline))
  }

  /// Claims work, and describes the answers.
  @discardableResult
  func claim(
    _ numbers: Int..., as session: Int = 1, kinds: Set<String> = ["k"]
  ) throws -> [String] {
    try commit(ClaimWork(numbers.map(PromiseID.numbered), runnableKinds: kinds), as: session)
      .map(\.text)
  }

  /// Ends the newest attempt of work, and describes the answer.
  @discardableResult
  func finish(
    _ number: Int, _ result: FinishWork.Result = .value, attempt: UInt32? = nil,
    effects: [HandlerEffect] = [], policy: WorkRetryPolicy = .standard, as session: Int = 1
  ) throws -> String {
    let newest = try promise(number).progress?.attempt ?? 0
    let command = FinishWork(
      id: .numbered(number), attempt: attempt ?? newest, result: result,
      effects: RequestedEffects(effects, runnableKinds: ["greet"]), policy: policy)
    return try commit(command, as: session).text
  }

  /// Records the end of a step of work 1.
  func finishStep(
    _ name: String = "charge",
    _ result: FinishStep.Result = .returned(typeTag: "int", bytes: [7]), attempt: UInt32 = 1,
    as session: Int = 1
  ) throws {
    try commit(
      FinishStep(
        id: .numbered(1), attempt: attempt, step: StepIdentity(name), result: result,
        startedAt: context.now), as: session)
  }

  func resolve(_ number: Int, _ outcome: PromiseOutcomeKind = .fulfilled) throws {
    try commit(ResolvePromise(.numbered(number), outcome, content: Self.content(of: outcome)))
  }

  /// The content of the outcomes that ``resolve(_:_:)`` makes.
  static func content(of outcome: PromiseOutcomeKind) -> [UInt8] {
    switch outcome {
    case .fulfilled: [1, 2, 3]
    case .rejected: StoredError.sample.encoded
    case .cancelled: Array("no need".utf8)
    case .timedOut: []
    }
  }
}

extension CreatePromise {
  /// The creation of work that is open until it is settled.
  init(
    work number: Int, _ trigger: WorkTrigger = .now, kind: String = "k", typeTag: String = "text",
    options: WorkOptions = WorkOptions(), deadline: Timestamp? = nil, parent: PromiseID? = nil
  ) {
    self.init(
      id: .numbered(number),
      creation: PromiseCreated(
        typeTag: typeTag, deadline: deadline, lifetime: .untilSettled, parent: parent,
        source: .work(.init(kind: kind, trigger: trigger, options: options))),
      isStrict: true)
  }
}

extension FinishWork.Result {
  static let value = FinishWork.Result.returned(typeTag: "text", bytes: [7])
  static let failure = FinishWork.Result.failed(.sample, isFinal: false)
  static let finalFailure = FinishWork.Result.failed(.sample, isFinal: true)
}

extension StoredError {
  static let sample = StoredError(domain: "test", code: 9, message: "failed")
}

extension WorkOptions {
  /// Options with a lane.
  static func lane(_ name: String = "lane", width: Int = 1, priority: Int8 = 0) -> WorkOptions {
    WorkOptions(priority: priority, lane: try? WorkLane(name, width: width))
  }
}

extension NewEvent {
  /// A commit of this event.
  fileprivate var alone: EventBatch {
    get throws {
      var batch = EventBatch()
      try batch.append(self)
      return batch
    }
  }
}

extension Timestamp {
  /// Seconds since 1970.
  static func second(_ seconds: Int64) -> Timestamp { .at(seconds * 1_000_000_000) }
}

// MARK: - Answers as text

extension ClaimWork.Claim {
  var text: String {
    switch self {
    case .started(let entity): "started \(entity.progress?.attempt ?? 0)"
    case .notDue: "not due"
    case .excluded: "excluded"
    case .running: "running"
    case .laneFull: "lane full"
    case .suspect: "suspect"
    case .parked: "parked"
    case .ended: "ended"
    case .unregistered(let kind): "unregistered \(kind)"
    case .refused(let error): "refused \(error.code)"
    }
  }
}

extension FinishWork.Answer {
  var text: String {
    switch self {
    case .settled(let settled):
      settled.entity.resolution.map { "\($0.outcome)" } ?? "not settled"
    case .retrying: "retrying"
    case .parked: "parked"
    case .superseded: "superseded"
    }
  }
}
