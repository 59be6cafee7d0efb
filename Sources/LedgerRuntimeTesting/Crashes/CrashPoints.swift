import LedgerModel
public import LedgerRuntime
import Synchronization

/// Verifies that a program comes to the same end wherever it is killed and started again.
///
/// It runs a scenario from its start to its end. Then it runs the scenario again, on a new ledger, for each of
/// its commits, twice: all processes are killed once just before the commit, and once just after it, before its
/// answer arrives. It then runs the scenario from the top on the ledger that is left, as a program does that is
/// started again. Each time, the ledger must come to the same end.
///
/// ```swift
/// let report = try await CrashPoints().run { tester in
///   let app = try await tester.app()
///   let order = try await app.ledger.findOrCreatePromise(key: key, of: Receipt.self)
///   if try await order.record?.status == .pending { try await order.fulfill(shop.buy()) }
/// }
/// ```
///
/// It works for promises and handlers as well as for work. A scenario finds what an earlier run left by keys and
/// lists, as a program must. ``WorkVerifier`` is for the code of work alone.
public struct CrashPoints: Sendable {
  /// The place of the ledgers.
  public var storage = LedgerStorage.memory

  /// The maximum number of commits at which the processes are killed. They are spread evenly.
  public var maximumCommitCount = 200

  /// Describes the end of the ledger in lines, which every run must have in common.
  ///
  /// By default, there is a line for each promise and handler, with its name, its status, and its outcome or last
  /// run, but without ids, times and sessions. The closure gets a session that was opened after the scenario.
  public var endState: @Sendable (Ledger) async throws -> [String] = EndState.lines(of:)

  /// Makes a verifier.
  public init() {}

  /// Runs a scenario, then runs it with a crash at each commit, and again to its end.
  ///
  /// - Parameter scenario: The scenario, which opens the processes that it needs. Its expectations are checked
  ///   only in the run without a crash.
  /// - Returns: A summary.
  /// - Throws: ``CrashDifference`` if a ledger comes to another end, or the run after a crash throws an error: make the
  ///   scenario find what the earlier run left. ``FailureBeforeCrash`` if a run throws an error before its crash: make
  ///   the scenario do the same in each run. Any error of the run without a crash; `LedgerError` if a ledger cannot be
  ///   opened or read.
  /// - Complexity: O(commits²), at most `maximumCommitCount` crashes.
  public func run(
    _ scenario: @escaping @Sendable (LedgerTester) async throws -> Void
  ) async throws -> CrashReport {
    try await run({}, scenario: { tester, _ in try await scenario(tester) }, observing: { _ in [] })
  }

  /// Runs a scenario with a world that outlives its processes, such as a server.
  ///
  /// - Parameters:
  ///   - makeWorld: Makes a new world for each run. The scenario that is started again has the same one.
  ///   - scenario: The scenario.
  ///   - observe: Describes the world at the end in lines, which every run must have in common.
  /// - Throws: As ``run(_:)``, and any error of the closures.
  public func run<World: Sendable>(
    _ makeWorld: () async throws -> World,
    scenario: @escaping @Sendable (LedgerTester, World) async throws -> Void,
    observing observe: (World) async throws -> [String]
  ) async throws -> CrashReport {
    let world = try await makeWorld()
    let (commitCount, lines) = try await LedgerTester(storage).withScope { tester in
      try await scenario(tester, world)
      return (tester.crash.commitCount, try await end(of: tester))
    }
    let expected = lines + (try await observe(world))
    var report = CrashReport(commitCount: commitCount, endState: expected)
    for number in Array(1...max(1, commitCount)).spread(maximumCommitCount) {
      for moment in CrashSwitch.Moment.allCases {
        let world = try await makeWorld()
        let tester = LedgerTester(
          storage, clock: ManualLedgerClock(), limits: RunLimits(), checksExpectations: false)
        try await tester.withScope { tester in
          let crash = try await tester.crash(at: number, moment) {
            try await scenario($0, world)
          }
          guard let crash else {
            report.missedCrashCount += 1
            return
          }
          report.crashCount += 1
          var actual: [String] = []
          do {
            try await scenario(tester, world)
            actual = try await end(of: tester) + (try await observe(world))
          } catch {
            throw crash.difference(from: expected, error: error)
          }
          if actual != expected { throw crash.difference(from: expected, actual) }
        }
      }
    }
    return report
  }

  /// The end of the ledger, as a new process sees it.
  private func end(of tester: LedgerTester) async throws -> [String] {
    for process in tester.processes { await process.close() }
    return try await endState(try await tester.app().ledger)
  }
}

/// The result of ``CrashPoints``.
public struct CrashReport: Sendable, Hashable {
  /// The number of commits of the run without a crash.
  public let commitCount: Int
  /// The number of runs with a crash.
  public internal(set) var crashCount = 0
  /// The number of crashes that did not happen: the run ended without an error before the commit, as one whose commands
  /// share commits may, or the commit failed as a plan says.
  public internal(set) var missedCrashCount = 0
  /// The end that all runs came to, in lines.
  public let endState: [String]
}

// MARK: - One crash

/// A crash that took place.
private struct Crash: Sendable {
  let position: Position
  let moment: CrashSwitch.Moment
  let events: [String]

  /// The maximum number of events that a difference describes.
  static let describedEventCount = 20

  func difference(
    from expected: [String], _ actual: [String] = [], error: (any Error)? = nil
  ) -> CrashDifference {
    CrashDifference(
      position: position, losesCommit: moment == .before, events: events, expected: expected,
      actual: actual, error: error)
  }
}

extension LedgerTester {
  /// Runs a scenario until all processes are killed at a commit.
  ///
  /// - Returns: `nil` if the scenario ended without that commit.
  /// - Throws: ``FailureBeforeCrash`` if the scenario threw an error before it.
  fileprivate func crash(
    at number: Int, _ moment: CrashSwitch.Moment,
    _ scenario: @escaping @Sendable (LedgerTester) async throws -> Void
  ) async throws -> Crash? {
    let (ended, end) = AsyncStream<Void>.makeStream()
    // Before the scenario begins, whose first commit would otherwise pass unseen.
    crash.set(number, moment) { end.finish() }
    let run = Task { try await scenario(self) }
    // The scenario waits for nothing that cannot come: whatever it waits for in the ledger fails, and its task is
    // cancelled.
    async let killed: Void = killAll(after: ended, run)
    let result = await run.result
    end.finish()
    await killed
    guard crash.isTripped else {
      guard case .failure(let error) = result else { return nil }
      throw FailureBeforeCrash(
        commitNumber: number, losesCommit: moment == .before, error: error)
    }
    crash.reset()
    // The program that is started again plans its own.
    faults.clear()
    return try withStore { (store) throws(LedgerError) in
      let position = try store.head()
      let count = min(position.rawValue, UInt64(Crash.describedEventCount))
      let start = max(
        Position(rawValue: position.rawValue - count), try store.snapshotSummary().deletedThrough)
      var events: [String] = []
      _ = try store.read(after: start, limit: .max) { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: start) { events.append(LedgerEvent(copying: $0).words) }
      }
      return Crash(position: position, moment: moment, events: events)
    }
  }

  /// Kills all processes once the stream has ended, if that was by a crash, and cancels the scenario.
  private func killAll(after end: AsyncStream<Void>, _ run: Task<Void, any Error>) async {
    for await _ in end {}
    guard crash.isTripped else { return }
    run.cancel()
    for process in processes { await process.kill() }
  }
}

extension Array {
  /// At most `count` of the elements, spread evenly and including the first.
  func spread(_ count: Int) -> [Element] {
    let count = Swift.min(Swift.max(0, count), self.count)
    return (0..<count).map { self[$0 * self.count / count] }
  }
}
