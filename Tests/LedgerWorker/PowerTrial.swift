import Foundation
import LedgerLMDB
import LedgerSystem
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Does everything for which a ledger writes to a disk, for a test that records it and cuts the
/// power.
///
/// It works on the ledgers `main` and `imported` and on the existing directory `archives`, all in
/// one directory. It prints `phase NAME` when it begins a new phase, and tells what it was answered as
/// ``PowerSession`` does. It exports the ledgers to another directory now and then, so that their histories
/// can be assembled, deleted events included.
struct PowerTrial {
  private let root: String
  private let exports: String
  private let sizes: PowerSizes
  private let durability: Configuration.Durability
  private let clock = ManualLedgerClock()

  init(_ root: String, _ arguments: inout Arguments) throws {
    self.root = root
    exports = try arguments.next("exports")
    sizes = PowerSizes(seed: UInt64(try arguments.number("seed")))
    durability = arguments.has("without-syncs") ? .noneForTests : .full
  }

  func run() async throws {
    Output.line("phase create")
    let app = try await open(as: .app)
    Output.line("phase commit")
    let helper = try await commit(app)
    Output.line("phase processes")
    try await shareWithAnotherProcess(app)
    Output.line("phase work")
    try await work(app)
    Output.line("phase freeze")
    let frozen = try await freeze(app, helper)
    Output.line("phase fold")
    try await fold(app)
    Output.line("phase delete")
    try await delete(app)
    Output.line("phase shrink")
    try await shrink(app, helper)
    Output.line("phase import")
    try await importLedger()
    Output.line("phase close")
    for session in [helper, app] { await session.close() }
    try export("main")
    Output.line("phase end")
    // Otherwise closing them would race with the end of the process, and with the recording.
    withExtendedLifetime(frozen) { exit(0) }
  }

  // MARK: Phases

  /// - Returns: A session that runs a call without an end.
  private func commit(_ app: PowerSession) async throws -> PowerSession {
    let helper = try await open(as: .appExtension, "helper")
    for number in 0..<10 {
      try await app.writePromise(number, byteCount: sizes.any(number))
    }
    // Several at a time, so that one commit holds the events of many.
    try await withThrowingTaskGroup { group in
      for number in 10..<18 {
        let writer = number % 2 == 0 ? app : helper
        group.addTask { try await writer.writePromise(number, byteCount: sizes.small(number)) }
      }
      try await group.waitForAll()
    }
    try await app.callHandler()
    try await helper.beginEndlessCall()
    // This one ends, so that there is a session's record to remove.
    let other = try await open(as: .operator, "other")
    try await other.writePromise(18, byteCount: 10)
    await other.close()
    try await app.acknowledge()
    return helper
  }

  /// Writes while another process writes, too, and ends in the midst of a call.
  private func shareWithAnotherProcess(_ app: PowerSession) async throws {
    let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    let other = try ChildProcess(
      [CommandLine.arguments[0], "power-helper", root + "/main"], environment: environment)
    for number in 60..<68 {
      try await app.writePromise(number, byteCount: sizes.any(number))
    }
    let ending = try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try SystemThread.start(name: "helper") { continuation.resume(returning: other.wait()) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
    guard ending == .exited(0) else { throw UsageError(what: "the other process: \(ending)") }
    // The events that it was told of are there for this one, too.
    try await app.acknowledge()
    try await app.writePromise(68, byteCount: 10)
  }

  private func work(_ app: PowerSession) async throws {
    for number in 0..<6 { try await app.start(Journey(number: number)) }
    for _ in 0..<2 {
      try await app.runWork(until: clock.now() + .seconds(600))
      clock.advance(by: Journey.shortStay)
    }
  }

  /// - Returns: Sessions that stay frozen, like those of processes that the system ends meanwhile.
  private func freeze(_ app: PowerSession, _ helper: PowerSession) async throws -> [PowerSession] {
    var frozen: [PowerSession] = []
    for (role, instance) in [
      (SessionRole.appExtension, "frozen"), (.operator, "frozen"), (.app, "another"),
    ] {
      let session = try await open(as: role, instance)
      try await session.writePromise(20, byteCount: 10)
      try await session.freeze()
      try await app.acknowledge()
      frozen.append(session)
    }
    for number in 21..<24 {
      try await app.freeze()
      try await helper.freeze()
      try await app.unfreeze()
      try await app.writePromise(number, byteCount: sizes.small(number))
      try await helper.unfreeze()
      try await helper.acknowledge()
    }
    try await helper.beginEndlessCall()
    return frozen
  }

  private func fold(_ app: PowerSession) async throws {
    for number in 30..<33 {
      try export("main")
      _ = try await app.ledger.compact(.foldOnly)
      try await app.acknowledge()
      try await app.writePromise(number, byteCount: sizes.large(number))
    }
  }

  /// Deletes events that were archived, and finally some that were not.
  private func delete(_ app: PowerSession) async throws {
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
        try await app.writePromise(
          number + place, byteCount: place == 1 ? sizes.large(number) : sizes.small(number))
      }
    }
  }

  /// Moves the ledger to new files, while two sessions have it open.
  private func shrink(_ app: PowerSession, _ helper: PowerSession) async throws {
    for number in 70..<73 {
      _ = try await app.ledger.shrink()
      try await app.acknowledge()
      try await helper.writePromise(number, byteCount: sizes.any(number))
      try await app.acknowledge()
    }
  }

  private func importLedger() async throws {
    try export("main")
    try makeLedger()
    let session = try await open(as: .app, ledger: "imported")
    for number in 50..<53 { try await session.writePromise(number, byteCount: sizes.any(number)) }
    await session.close()
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
  ) async throws -> PowerSession {
    var configuration = try PowerSession.configuration(clock, instance: instance) {
      TellingDiary(ledger: name)
    }
    configuration.hooks.sliceEventCount = 25
    configuration.files.environment.durability = durability
    // Many steps.
    configuration.largestGrowthInBytes = 16 << 10
    return try await PowerSession(at: root + "/" + name, as: role, configuration)
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

/// The sizes of values, in bytes: equal for equal seeds.
private struct PowerSizes {
  let seed: UInt64

  /// From within its event to many pages beside it.
  func any(_ number: Int) -> Int { choose(from: [8, 300, 3_000, 5_000, 20_000], number) }

  func small(_ number: Int) -> Int { choose(from: [10, 50, 100, 200], number) }

  /// Beside its event.
  func large(_ number: Int) -> Int { choose(from: [5_000, 6_000, 7_000, 12_000], number) }

  private func choose(from sizes: [Int], _ number: Int) -> Int {
    var generator = SeededGenerator(seed: seed &* 1_000 &+ UInt64(number))
    return sizes[Int.random(in: 0..<sizes.count, using: &generator)]
      + Int.random(in: 0..<8, using: &generator)
  }
}
