import LedgerWorkerSupport

/// Many recordings, each with its own sizes of what is written, and many power cuts in each.
package struct PowerLossSeries: Sendable {
  /// How many different states of one recording are looked at; those of the next differ more.
  private static let stateCountOfRecording = 10_000

  private let seed: UInt64
  private let laneCount: Int
  private let worker: String

  /// - Parameters:
  ///   - laneCount: How many states are checked at once.
  ///   - worker: The program `ledger-worker`.
  package init(seed: UInt64, laneCount: Int, worker: String = WorkerProcess.program) {
    self.seed = seed
    self.laneCount = laneCount
    self.worker = worker
  }

  /// Looks at this many states.
  ///
  /// - Parameter tell: Gets how to repeat each state that was wrong.
  package func run(
    stateCount: Int, tell: (_ failure: String) -> Void
  ) async throws -> PowerLossReport {
    var report = PowerLossReport()
    var number: UInt64 = 0
    while report.stateCount < stateCount, report.failures.isEmpty {
      let seed = seed &+ number
      number += 1
      let recording = try await PowerRecording.make(seed: seed, worker: worker)
      var run = PowerLossRun(recording: recording, seed: seed)
      run.laneCount = laneCount
      let part = try await run.check(
        stateCount: min(Self.stateCountOfRecording, stateCount - report.stateCount))
      report.add(part)
      for failure in part.failures { tell(run.description(of: failure)) }
      if !part.failures.isEmpty { try recording.keep() }
    }
    return report
  }

  /// Leaves out all syncs of one kind after the other, and cuts the power until a state is wrong: if none is, a
  /// forgotten sync would go unnoticed.
  ///
  /// - Parameter tell: Gets the kind, and the states that were wrong.
  /// - Returns: The kinds that nothing missed.
  package func needlessSyncs(
    in recording: PowerRecording, tell: (_ line: String) -> Void
  ) async throws -> [SyncClass] {
    var needless: [SyncClass] = []
    for (kind, count) in recording.syncClasses.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      var run = PowerLossRun(recording: recording.without { $0 == kind }, seed: seed)
      run.failureLimit = 1
      run.laneCount = laneCount
      run.window = recording.window(after: kind)
      let report = try await run.check(stateCount: 2_000)
      let found = report.failures.first.map { "\($0)" } ?? "nothing is wrong"
      tell("without \(count) x \(kind), \(report.stateCount) states: \(found)")
      if report.failures.isEmpty { needless.append(kind) }
    }
    return needless
  }
}

extension PowerLossRun {
  /// What is wrong, what came before it, and how to repeat it.
  ///
  /// - Parameter test: The test that does.
  package func description(
    of failure: PowerLossReport.Failure, test: String = "nothingAcknowledgedIsLostWhenThePowerIsCut"
  ) -> String {
    """
    \(failure)
    \(recording.describe(before: failure.cut))
    POWER_LOSS_RECORDING=\(recording.keptDirectory) POWER_LOSS_SEED=\(seed) \
    POWER_LOSS_STATE=\(failure.state) swift test --filter PowerLossTests.\(test)
    """
  }
}
