import PromiseLedger
import PromiseLedgerTesting

/// A ledger whose events about promises are given one by one, with their times, so that its histories are the
/// same in every run.
final class WorkHistoryLedger {
  private let temporary: TemporaryLedger
  private var commitCount: UInt64 = 0

  var path: String { temporary.path }

  /// The promises, and the sessions that write, by their numbers.
  static func id(_ number: UInt64) -> EntityID {
    EntityID(high: 0x019B_76DA_A800_7000, low: 0x8700_0000_0000_0A00 | number)
  }

  static func promise(_ number: UInt64) -> PromiseID { PromiseID(entityID: id(number)) }

  /// A time after a moment in 2100, which no clock has passed: what has not ended ends with the last event.
  static func time(_ seconds: Double) -> Timestamp {
    Timestamp(nanosecondsSinceEpoch: 4_102_444_800_000_000_000 + Int64((seconds * 1e9).rounded()))
  }

  init() async throws {
    temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock(start: Self.time(0))
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    configuration.automaticCompaction = nil
    let ledger = try await temporary.open(as: .app, configuration: configuration)
    await ledger.close()
  }

  /// Appends an event.
  func add(
    _ payload: some EventPayload, on number: UInt64 = 1, at seconds: Double,
    by session: UInt64 = 0xA1, attachment: [UInt8] = []
  ) throws {
    try append(
      [
        NewEvent(
          kind: type(of: payload).kind, version: payload.version, time: Self.time(seconds),
          subject: Self.id(number), payload: payload.encoded, attachment: attachment)
      ], by: session)
  }

  /// Appends events in one commit.
  func append(_ events: [NewEvent], by session: UInt64 = 0xA1) throws {
    var batch = EventBatch()
    for event in events { try batch.append(event) }
    let made = batch
    commitCount += 1
    let store = try LMDBEventStore(
      opening: LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 30))
    defer { store.close() }
    _ = try store.commit(
      CommitID(session: SessionID(entityID: Self.id(session)), number: commitCount),
      after: try store.head(), patience: Patience(.seconds(5)), catchUp: { _ in },
      decide: { _, _ in made })
  }

  /// Folds and deletes events.
  func compact(keeping count: Int) throws {
    let run = try CommandRun(
      "compact", path, "--apply", "--keep-events-for", "0", "--keep-events", "\(count)")
    precondition(run.status == 0, run.notes)
  }
}

extension WorkHistoryLedger {
  /// Creates work.
  func create(
    _ number: UInt64 = 1, _ kind: String = "order", _ trigger: WorkTrigger = .now,
    parent: UInt64? = nil, label: String? = nil, at seconds: Double = 0
  ) throws {
    let creation = PromiseCreated(
      typeTag: "int", label: label, lifetime: .untilSettled, parent: parent.map(Self.promise),
      source: .work(.init(kind: kind, trigger: trigger)))
    try add(creation, on: number, at: seconds)
  }

  /// Creates a promise that is settled from outside.
  func createPromise(
    _ number: UInt64, parent: UInt64? = nil, label: String? = nil, at seconds: Double = 0
  ) throws {
    let creation = PromiseCreated(
      typeTag: "int", label: label, lifetime: parent == nil ? .untilConsumed : .untilSettled,
      parent: parent.map(Self.promise))
    try add(creation, on: number, at: seconds)
  }

  /// Records a finished step.
  func step(
    _ name: StepIdentity, _ attempt: UInt32, from start: Double, to end: Double,
    _ result: String, failures: UInt32 = 0, by session: UInt64 = 0xA1
  ) throws {
    try add(
      WorkStepFinished(
        attempt: attempt, step: name, outcome: .value, failureCount: failures,
        startedAt: Self.time(start), typeTag: "string", result: Array(result.utf8)),
      at: end, by: session)
  }

  /// Settles a promise.
  func settle(
    _ number: UInt64 = 1, byAttempt attempt: UInt32? = nil,
    _ outcome: PromiseOutcomeKind = .fulfilled, _ content: [UInt8] = Array("7".utf8),
    at seconds: Double, by session: UInt64 = 0xA1
  ) throws {
    try add(
      PromiseResolved(
        outcome: outcome, resolvedAt: Self.time(seconds), attempt: attempt,
        content: attempt == nil ? content : PromiseResolved.content(effects: [], then: content)),
      on: number, at: seconds, by: session)
  }
}
