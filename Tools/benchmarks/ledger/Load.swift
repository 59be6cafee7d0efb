import ArgumentParser
import LedgerBytes
import PromiseLedger
import PromiseLedgerTesting

extension LedgerBenchmarks {
  /// A fixed amount of something, for a profiler that counts instructions.
  struct Load: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Does one thing many times and measures nothing, for a profiler.")

    enum Thing: String, CaseIterable, ExpressibleByArgument {
      /// Promises are created.
      case creations
      /// Promises are created and fulfilled.
      case resolutions
      /// Promises are created, fulfilled and consumed.
      case promises
      /// A handler that does nothing is called.
      case calls
      /// Work that does nothing is started, done and consumed.
      case emptyWork = "empty-work"
      /// The same with three steps.
      case threeSteps = "three-steps"
      /// The events of promises, three of each, are applied to an empty state.
      case replay
    }

    @Argument(help: "What to do.")
    var thing: Thing

    @Argument(help: "How often.")
    var count = 20_000

    @Option(help: "The number of tasks that do it.")
    var tasks = 512

    @Flag(help: "Does it without automatic compaction.")
    var withoutCompaction = false

    func run() async throws {
      if thing == .replay { return try ReplayLoad.run(count) }
      let directory = try TemporaryDirectory.onDisk()
      let ledger = try await BenchmarkedWork.open(directory.path + "/ledger")
      let body = try await body(ledger)
      if thing == .emptyWork || thing == .threeSteps {
        try await BenchmarkedWork.running(ledger) { try await repeatInTasks(body) }
      } else {
        try await repeatInTasks(body)
      }
      await ledger.close()
    }

    private func repeatInTasks(_ body: @escaping @Sendable () async throws -> Void) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<tasks {
          let own = count / tasks + (task < count % tasks ? 1 : 0)
          group.addTask { for _ in 0..<own { try await body() } }
        }
        try await group.waitForAll()
      }
    }

    private func body(_ ledger: Ledger) async throws -> @Sendable () async throws -> Void {
      switch thing {
      case .emptyWork:
        return { try await ledger.start(BenchmarkedWork.Nothing()).consume() }
      case .threeSteps:
        return { try await ledger.start(BenchmarkedWork.ThreeSteps()).consume() }
      case .calls:
        let creation = try await ledger.createHandler(
          BenchmarkedWork.Called.self, repetition: .repeating)
        let handler = creation.handler
        return { _ = try await handler.call() }
      case .creations:
        return { _ = try await ledger.createPromise(of: Int.self) }
      case .resolutions:
        return { try await ledger.createPromise(of: Int.self).fulfill(1) }
      case .promises:
        return {
          let promise = try await ledger.createPromise(of: Int.self)
          try await promise.fulfill(1)
          _ = try await promise.consume()
        }
      case .replay: return {}
      }
    }
  }
}

/// Events in memory that are applied again and again, each time to an empty state.
private enum ReplayLoad {
  static let promiseCount = 1_000

  static func run(_ count: Int) throws {
    let session = SessionID(entityID: EntityID(high: 2, low: 2))
    let ledgerID = LedgerID(entityID: EntityID(high: 1, low: 1))
    let now = Timestamp(nanosecondsSinceEpoch: 0)
    let ids = RandomIDGenerator()
    var decision = Decision(
      over: LedgerState(), context: DecisionContext(session: session, role: .app, now: now))
    let opened = SessionOpened(
      role: .app, processID: 1, instance: "default", host: "host", libraryVersion: "0")
    try decision.run(OpenSession(opened, newLedgerID: ledgerID))
    for index in 0..<promiseCount {
      let id = PromiseID(entityID: ids.makeID(at: now))
      let creation = PromiseCreated(typeTag: "string", label: "promise \(index)")
      _ = try decision.run(CreatePromise(id: id, creation: creation, isStrict: true))
      _ = try decision.run(
        ResolvePromise(
          id: id, outcome: .fulfilled, content: Array("\"a value of some length\"".utf8),
          typeTag: "string", idempotencyKey: nil, isStrict: true))
      _ = try decision.run(ConsumePromise(id: id, delivery: .recordedBefore))
    }
    var frames: [(key: UInt64, bytes: [UInt8])] = []
    decision.batch.packFrames(
      from: Position.start.advanced(by: 1), number: 1, commit: CommitID(session: session, number: 1)
    ) { key, frame in frames.append((key, Array(copying: frame))) }
    for _ in 0..<(count / (3 * promiseCount)) {
      let replica = Replica()
      for frame in frames {
        try replica.apply(FrameView(checking: frame.bytes.span, key: frame.key))
      }
    }
  }
}
