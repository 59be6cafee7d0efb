import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// The memory of a replayed ledger: it must grow with the entities, not with the events.
///
/// Each log is replayed by a child process, so that nothing was allocated and freed before.
enum MemoryBenchmark {
  static let eventCount = 1_000_000

  static func run(_ report: inout Report) throws {
    let ofOneSession = try growth { number in
      number.isMultiple(of: 2)
        ? AnyCommand(FreezeSession()) : AnyCommand(UnfreezeSession(processID: 1))
    }
    let ids = RandomIDGenerator()
    let ofPromises = try growth { number in
      let now = Timestamp(nanosecondsSinceEpoch: Int64(number))
      return AnyCommand(
        CreatePromise(
          id: PromiseID(entityID: ids.makeID(at: now)),
          creation: PromiseCreated(typeTag: "string", label: "promise"), isStrict: true))
    }
    report.add("memory of a promise after replay, bytes", ofPromises / Double(eventCount), nil)
    report.add(
      "memory after a million events of one session, of promises", ofOneSession / ofPromises,
      .atMost(0.01), "\(Int(ofOneSession) >> 10) KiB against \(Int(ofPromises) >> 10) KiB")
  }

  /// The memory of work that has not started to run.
  static func runQueuedWork(_ report: inout Report) throws {
    let ids = RandomIDGenerator()
    let ofWork = try growth { number in
      let now = Timestamp(nanosecondsSinceEpoch: Int64(number))
      return AnyCommand(CreatePromise(queued: "send-reminder", ids.makeID(at: now)))
    }
    report.add("queued work in memory, bytes each", ofWork / Double(eventCount), .atMost(450))
  }

  /// Any command, with its result ignored.
  private struct AnyCommand: Command {
    private let body: @Sendable (inout Decision) throws(LedgerError) -> Void

    init(_ command: some Command) {
      body = { (decision) throws(LedgerError) in _ = try command.decide(in: &decision) }
    }

    func decide(in decision: inout Decision) throws(LedgerError) { try body(&decision) }
  }

  /// The bytes that a child process needs to replay a log made of these commands.
  private static func growth(_ command: @escaping (Int) -> AnyCommand) throws -> Double {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let ledgerID = LedgerID(entityID: EntityID(high: 1, low: 1))
    let store = try LMDBEventStore.openOrCreate(
      LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 40), newLedgerID: ledgerID,
      now: SystemLedgerClock().now())
    try fill(store, ledgerID, command)
    store.close()
    return Double(try Child("replay", path).waitForLine()) ?? .nan
  }

  private static func fill(
    _ store: LMDBEventStore, _ ledgerID: LedgerID, _ command: @escaping (Int) -> AnyCommand
  ) throws {
    let replica = Replica()
    let session = SessionID(entityID: EntityID(high: 2, low: 2))
    let opened = SessionOpened(
      role: .app, processID: 1, instance: "default", host: "host", libraryVersion: "0")
    let perCommit = 10_000
    for commit in 0..<(eventCount / perCommit) {
      var staged: StagedLayer?
      _ = try store.commit(
        CommitID(session: session, number: UInt64(commit + 1)), after: replica.position,
        patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
        decide: { (_, _) throws(LedgerError) in
          let now = Timestamp(nanosecondsSinceEpoch: Int64(commit))
          let context = DecisionContext(session: session, role: .app, now: now)
          var decision = replica.withState { Decision(over: $0, context: context) }
          if commit == 0 { try decision.run(OpenSession(opened, newLedgerID: ledgerID)) }
          for number in 0..<perCommit { try decision.run(command(number)) }
          staged = decision.staged
          return decision.batch
        })
      if let staged { replica.merge(staged) }
    }
  }

  /// Replays a ledger and prints the memory that it took.
  static func runChild(_ path: String) throws {
    let store = try LMDBEventStore(
      opening: LedgerDirectory(path), options: StoreOptions(sizeLimit: 1 << 40))
    let before = try anonymousBytes()
    let replica = Replica()
    while true {
      let position = replica.position
      let last = try store.read(after: position, limit: 10_000) {
        (frame) throws(LedgerError) in try replica.apply(frame)
      }
      if last == position { break }
    }
    Child.say(String(try anonymousBytes() - before))
    store.close()
  }

  /// The private memory of this process without a backing file, as Linux counts it.
  static func anonymousBytes() throws -> Int {
    let bytes = try FileSystem.readPrefix("/proc/self/smaps_rollup", maximumBytes: 4_096)
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("Anonymous:") }
    guard let kilobytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw BaselineError(status: -3)
    }
    return kilobytes << 10
  }
}

extension CreatePromise {
  /// The creation of work without arguments that is due at once.
  init(queued kind: String, _ id: EntityID) {
    let work = PromiseCreated.Work(kind: kind)
    self.init(
      id: PromiseID(entityID: id),
      creation: PromiseCreated(typeTag: "void", label: "work", source: .work(work)),
      isStrict: true)
  }
}
