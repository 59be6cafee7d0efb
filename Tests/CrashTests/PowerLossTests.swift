import Foundation
import LedgerPowerLoss
import LedgerTestSupport
import LedgerWorkerSupport
import Testing

extension CrashTests {
  /// The power is cut at any moment of a ledger's life, on a disk that only guarantees synced data.
  ///
  /// Environment variables make the suite larger, and repeat its findings; see the article
  /// *Developing*.
  @Suite(
    .enabled(if: Strace.isUsable, "needs strace and the right to trace"), .timeLimit(.minutes(60)))
  struct PowerLossTests {
    private let settings = PowerLossSettings()

    @Test func nothingAcknowledgedIsLostWhenThePowerIsCut() async throws {
      try await settings.withRecording { recording in
        let differences = try recording.differencesFromFiles()
        #expect(differences == [])
        #expect(recording.extensionCount > 10)
        let run = PowerLossRun(recording: recording, seed: settings.seed)
        if let state = settings.state {
          return settings.tell(try await run.check(state: state), of: run)
        }
        let report = try await run.check(stateCount: settings.stateCount)
        #expect(report.stateCount >= settings.stateCount)
        #expect(report.stateCounts.count == recording.phaseCount)
        return settings.tell(report, of: run)
      }
    }

    /// On a disk that lost a page after it had confirmed the write, the ledger refuses to be
    /// opened, or all acknowledged events are there. A position is never given to another event.
    @Test func aLostWriteIsRefusedOrLosesNothing() async throws {
      try await settings.withRecording { recording in
        var run = PowerLossRun(recording: recording, seed: settings.seed, fault: .lostWrite)
        run.failureLimit = .max
        if let state = settings.state {
          return settings.tell(try await run.check(state: state), of: run)
        }
        let report = try await run.check(stateCount: settings.stateCount / 5)
        #expect(report.answers["refused", default: 0] > 0)
        // After a clean end not all pages are looked at, and LMDB ends a process on some of them: on one
        // in a hundred, but on more with some sizes of values.
        let answerCount = report.answers.values.reduce(0, +)
        #expect(report.answers["ended", default: 0] <= max(10, answerCount / 25))
        return settings.tell(report, of: run)
      }
    }

    /// On a disk that ignores one kind of sync, something breaks: no sync is superfluous, and none
    /// could be forgotten unnoticed.
    @Test func everyKindOfSyncIsMissed() async throws {
      try await settings.withRecording { recording in
        #expect(recording.syncClasses.count >= 9)
        let series = PowerLossSeries(
          seed: settings.seed, laneCount: 2, worker: PowerLossSettings.worker)
        let needless = try await series.needlessSyncs(in: recording) { print($0) }
        #expect(needless.isEmpty, "seed \(settings.seed)")
        return needless.isEmpty
      }
    }

    /// LMDB without its syncs loses ledgers, and this suite sees that.
    @Test func aLedgerThatIsNotSyncedIsLost() async throws {
      let recording = try await PowerRecording.make(
        seed: settings.seed, worker: PowerLossSettings.worker, flags: ["without-syncs"])
      var run = PowerLossRun(recording: recording, seed: settings.seed)
      run.failureLimit = 1
      let report = try await run.check(stateCount: 100)
      print("no syncs of LMDB, \(report.stateCount) states:", report.failures)
      #expect(!report.failures.isEmpty)
    }

    /// On a disk that ignores all syncs, acknowledged data is lost, and not only something wrong.
    @Test func aDiskWithoutSyncsLosesAcknowledgedData() async throws {
      try await settings.withRecording { recording in
        var run = PowerLossRun(recording: recording.without { _ in true }, seed: settings.seed)
        run.failureLimit = 20
        let report = try await run.check(stateCount: 100)
        print("no syncs, \(report.stateCount) states: \(report.answers)")
        #expect(report.answers["lost", default: 0] > 0)
        return true
      }
    }
  }
}

/// The settings of the suite from environment variables.
struct PowerLossSettings {
  private static let environment = ProcessInfo.processInfo.environment
  /// The program that does the work, and checks its remains.
  static let worker = environment["POWER_LOSS_WORKER"] ?? WorkerProcess.program
  private static let seed =
    environment["POWER_LOSS_SEED"].flatMap(UInt64.init) ?? .random(in: 0...9_999_999)
  /// An earlier recording, or a new one; all tests use the same.
  private static let recording = Task {
    if let directory = environment["POWER_LOSS_RECORDING"] {
      return try PowerRecording(readingFrom: directory, worker: worker)
    }
    return try await PowerRecording.make(seed: seed, worker: worker)
  }

  let seed = Self.seed
  let stateCount =
    environment["POWER_LOSS_STATES"].flatMap(Int.init) ?? TestAmount.of(250)
  /// The only state to check.
  let state = environment["POWER_LOSS_STATE"].flatMap(Int.init)

  /// - Parameter body: Returns whether all was well; if not, the recording is kept.
  func withRecording(_ body: (PowerRecording) async throws -> Bool) async throws {
    let recording = try await Self.recording.value
    if try await !body(recording) { try recording.keep() }
  }

  /// Prints the findings, and how to repeat them.
  ///
  /// - Returns: Whether there were none.
  func tell(
    _ report: PowerLossReport, of run: PowerLossRun, function: String = #function,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    print("\(report.line), seed \(seed)")
    for failure in report.failures {
      let description = run.description(of: failure, test: String(function.dropLast(2)))
      Issue.record("\(description)", sourceLocation: sourceLocation)
    }
    return report.failures.isEmpty
  }
}
