import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// A session that tells what it was answered, and so must exist after a power cut.
///
/// It prints `did LEDGER KIND SUBJECT COUNT` when an answer says that there are so many events of a kind about
/// a subject, and `head LEDGER POSITION` when it has seen all events up to a position.
final class PowerSession: Sendable {
  let ledger: Ledger
  private let name: String
  /// How often it was told of the same.
  private let counts = Mutex<[String: Int]>([:])

  init(at path: String, as role: SessionRole, _ configuration: LedgerConfiguration) async throws {
    name = path.split(separator: "/").last.map(String.init) ?? path
    ledger = try await Ledger.open(at: path, as: role, configuration: configuration)
    did(.sessionOpened, ledger.session)
    try await acknowledge()
  }

  /// The configuration of every session of the trial.
  static func configuration(
    _ clock: ManualLedgerClock, instance: String,
    diary: @escaping @Sendable () -> any JourneyDiary
  ) throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.instance = instance
    configuration.automaticCompaction = nil
    try configuration.handlers.register(Once.self)
    try configuration.handlers.register(EndlessHandler.self)
    try configuration.handlers.register(Journey.self) { diary() }
    return configuration
  }

  private func did(_ kind: EventKind, _ subject: some CustomStringConvertible) {
    let fact = "\(name) \(kind) \(subject)"
    let count = counts.withLock { counts in
      counts[fact, default: 0] += 1
      return counts[fact, default: 0]
    }
    Output.line("did \(fact) \(count)")
  }

  /// Tells of everything that it sees.
  func acknowledge() async throws {
    Output.line("head \(name) \(try await ledger.catchUp())")
  }

  // MARK: Sessions

  func freeze() async throws {
    try await ledger.freeze()
    did(.sessionFrozen, ledger.session)
  }

  func unfreeze() async throws {
    try await ledger.unfreeze()
    did(.sessionUnfrozen, ledger.session)
  }

  func close() async {
    await ledger.close()
    did(.sessionClosed, ledger.session)
  }

  // MARK: Promises and work

  /// Makes a promise and resolves it; some are consumed, others abandoned.
  func writePromise(_ number: Int, byteCount: Int) async throws {
    let promise = try await ledger.createPromise(of: [UInt8].self, label: "promise \(number)")
    did(.promiseCreated, promise.id)
    if number % 7 == 3 {
      try await promise.abandon(reason: "not needed")
      did(.promiseAbandoned, promise.id)
    } else {
      let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
      try await promise.fulfill(value)
      did(.promiseResolved, promise.id)
      if number % 3 == 0, ledger.role == .app {
        _ = try await promise.consume()
        did(.promiseConsumed, promise.id)
      }
    }
    try await acknowledge()
  }

  func start(_ journey: Journey) async throws {
    let promise = try await ledger.start(journey, label: "journey \(journey.number)")
    did(.promiseCreated, promise.id)
  }

  /// Runs the work that is due.
  func runWork(until deadline: Timestamp) async throws {
    try await LedgerRunner(ledger).drain(until: deadline)
    try await acknowledge()
  }

  // MARK: Handlers

  func callHandler() async throws {
    let promise = try await ledger.createPromise(of: String.self, label: "bound")
    let handler = try await ledger.createHandler(
      Once.self, ["promise": promise], key: HandlerKey("once"), repetition: .repeating
    ).handler
    did(.handlerCreated, handler.id)
    for _ in 0..<2 {
      try await handler.call()
      did(.handlerCallFinished, handler.id)
    }
    try await acknowledge()
  }

  func beginEndlessCall() async throws {
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let handler = try await ledger.createHandler(
      EndlessHandler.self, scopes: ["endless"], repetition: .repeating
    ).handler
    EndlessHandler.begun.withLock { $0 = continuation }
    Task { try await handler.call() }
    for await _ in begun { break }
    did(.handlerCallStarted, handler.id)
    try await acknowledge()
  }
}

/// A handler that only keeps a promise.
private struct Once: LedgerHandler {
  static let kind = "once"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) throws -> Int {
    _ = try call.createPromise(of: Int.self, label: "made by a call")
    return 1
  }
}
