import Foundation
import LedgerLMDB
import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// Does everything for which a ledger writes to a disk, for a test that records it and cuts the
/// power.
///
/// It works on the ledgers `main` and `imported` and on the existing directory `archives`, all in
/// one directory. It prints `phase NAME` when it begins a new phase, and `head LEDGER POSITION`
/// when the events of a ledger up to a position were acknowledged. It exports the ledgers to
/// another directory now and then, so that their histories can be assembled, deleted events
/// included.
struct PowerTrial {
  private let root: String
  private let exports: String
  private let durability: Configuration.Durability
  private let clock = ManualLedgerClock()

  init(_ root: String, _ arguments: inout Arguments) throws {
    self.root = root
    exports = try arguments.next("exports")
    durability = arguments.has("without-syncs") ? .noneForTests : .full
  }

  func run() async throws {
    Output.line("phase create")
    let app = try await open(as: .app)
    Output.line("phase commit")
    let helper = try await commit(app)
    Output.line("phase freeze")
    let frozen = try await freeze(app, helper)
    Output.line("phase fold")
    try await fold(app)
    Output.line("phase delete")
    try await delete(app)
    Output.line("phase import")
    try await importLedger()
    Output.line("phase close")
    for session in [helper, app] { await session.ledger.close() }
    try export("main")
    Output.line("phase end")
    // Otherwise closing them would race with the end of the process, and with the recording.
    withExtendedLifetime(frozen) { exit(0) }
  }

  // MARK: Phases

  /// - Returns: A session that runs a call without an end.
  private func commit(_ app: Session) async throws -> Session {
    let helper = try await open(as: .appExtension, "helper")
    let sizes = [8, 300, 3_000, 5_000, 20_000]
    for number in 0..<10 {
      try await app.writePromise(number, byteCount: sizes[number % sizes.count])
    }
    // Several at a time, so that one commit holds the events of many.
    try await withThrowingTaskGroup { group in
      for number in 10..<18 {
        let writer = number % 2 == 0 ? app : helper
        group.addTask { try await writer.writePromise(number, byteCount: 100) }
      }
      try await group.waitForAll()
    }
    try await app.callHandler()
    try await helper.beginEndlessCall()
    // This one ends, so that there is a session's record to remove.
    let other = try await open(as: .operator, "other")
    try await other.writePromise(18, byteCount: 10)
    await other.ledger.close()
    try await app.acknowledge()
    return helper
  }

  /// - Returns: Sessions that stay frozen, like those of processes that the system ends meanwhile.
  private func freeze(_ app: Session, _ helper: Session) async throws -> [Session] {
    var frozen: [Session] = []
    for (role, instance) in [
      (SessionRole.appExtension, "frozen"), (.operator, "frozen"), (.app, "another"),
    ] {
      let session = try await open(as: role, instance)
      try await session.writePromise(20, byteCount: 10)
      try await session.ledger.freeze()
      try await app.acknowledge()
      frozen.append(session)
    }
    for number in 21..<24 {
      try await app.ledger.freeze()
      try await helper.ledger.freeze()
      try await app.ledger.unfreeze()
      try await app.writePromise(number, byteCount: 200)
      try await helper.ledger.unfreeze()
      try await helper.acknowledge()
    }
    try await helper.beginEndlessCall()
    return frozen
  }

  private func fold(_ app: Session) async throws {
    for number in 30..<33 {
      try export("main")
      _ = try await app.ledger.compact(.foldOnly)
      try await app.acknowledge()
      try await app.writePromise(number, byteCount: 6_000)
    }
  }

  /// Deletes events that were archived, and finally some that were not.
  private func delete(_ app: Session) async throws {
    for number in 40..<43 {
      clock.advance(by: .seconds(60))
      try export("main")
      var policy = CompactionPolicy.everything(
        archivedIn: number < 42 ? root + "/archives" : nil)
      // More than a compaction itself writes, so that no event is deleted before it was exported.
      policy.minimumEventCount = 12
      _ = try await app.ledger.compact(policy)
      try await app.acknowledge()
      for place in 0..<4 {
        try await app.writePromise(number + place, byteCount: place == 1 ? 7_000 : 50)
      }
    }
  }

  private func importLedger() async throws {
    try export("main")
    try makeLedger()
    let session = try await open(as: .app, ledger: "imported")
    for number in 50..<53 { try await session.writePromise(number, byteCount: 3_000) }
    await session.ledger.close()
    try export("imported")
  }

  private func makeLedger() throws {
    let files = try FileSystem.list(exports).map { exports + "/" + $0 }
    let summary = try LedgerImport().makeLedger(at: root + "/imported", from: files)
    Output.line("head imported \(summary.eventCount)")
  }

  // MARK: Steps

  private func open(
    as role: SessionRole, _ instance: String = "default", ledger name: String = "main"
  ) async throws -> Session {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.instance = instance
    configuration.automaticCompaction = nil
    configuration.hooks.sliceEventCount = 25
    configuration.files.environment.durability = durability
    try configuration.handlers.register(Once.self)
    try configuration.handlers.register(Endless.self)
    let ledger = try await Ledger.open(
      at: root + "/" + name, as: role, configuration: configuration)
    let session = Session(ledger: ledger, name: name)
    try await session.acknowledge()
    return session
  }

  private func export(_ name: String) throws {
    let inspector = try BlockingInspector(at: root + "/" + name)
    defer { inspector.close() }
    // In order.
    let number = try FileSystem.list(exports).count + 10
    var file = try AtomicFile("\(exports)/\(number)-\(name).jsonl")
    try inspector.export { try file.write($0) }
    try file.finish()
  }
}

/// A session of the trial.
private struct Session {
  let ledger: Ledger
  let name: String

  /// Prints the position of everything that was answered or seen, and so must exist after a power
  /// cut.
  func acknowledge() async throws {
    Output.line("head \(name) \(try await ledger.catchUp())")
  }

  /// Makes a promise and resolves it; some are consumed, others abandoned.
  func writePromise(_ number: Int, byteCount: Int) async throws {
    let promise = try await ledger.createPromise(of: [UInt8].self, label: "promise \(number)")
    try await acknowledge()
    if number % 7 == 3 {
      try await promise.abandon(reason: "not needed")
    } else {
      let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
      try await promise.fulfill(value)
      if number % 3 == 0, ledger.role == .app { _ = try await promise.consume() }
    }
    try await acknowledge()
  }

  func callHandler() async throws {
    let promise = try await ledger.createPromise(of: String.self, label: "bound")
    let handler = try await ledger.createHandler(
      Once.self, ["promise": promise], key: HandlerKey("once"), repetition: .repeating
    ).handler
    for _ in 0..<2 {
      try await handler.call()
      try await acknowledge()
    }
  }

  func beginEndlessCall() async throws {
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let handler = try await ledger.createHandler(
      Endless.self, scopes: ["endless"], repetition: .repeating
    ).handler
    Endless.begun.withLock { $0 = continuation }
    Task { try await handler.call() }
    for await _ in begun { break }
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

/// A handler whose calls do not end.
private struct Endless: LedgerHandler {
  static let kind = "endless"
  static let begun = Mutex<AsyncStream<Void>.Continuation?>(nil)

  func run(in call: HandlerCall<Void>) async throws -> Int {
    Self.begun.withLock { _ = $0?.yield(()) }
    for await _ in AsyncStream<Void>.makeStream().stream {}
    throw CancellationError()
  }
}
