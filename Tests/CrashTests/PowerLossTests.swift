import Foundation
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
        try recording.checkAgainstFiles()
        let suite = PowerLossSuite(recording: recording, seed: settings.seed)
        if let state = settings.state {
          return settings.tell(try await suite.run(state: state), of: suite)
        }
        let report = try await suite.run(stateCount: settings.stateCount)
        #expect(report.stateCount >= settings.stateCount)
        #expect(report.stateCounts.count == recording.phases.count)
        return settings.tell(report, of: suite)
      }
    }

    /// On a disk that lost a page after it had confirmed the write, the ledger refuses to be
    /// opened, or all acknowledged events are there. A position is never given to another event.
    @Test func aLostWriteIsRefusedOrLosesNothing() async throws {
      try await settings.withRecording { recording in
        var suite = PowerLossSuite(recording: recording, seed: settings.seed, fault: .lostWrite)
        suite.failureLimit = .max
        if let state = settings.state {
          return settings.tell(try await suite.run(state: state), of: suite)
        }
        let report = try await suite.run(stateCount: settings.stateCount / 5)
        #expect(report.answers["refused", default: 0] > 0)
        // After a clean end not all pages are looked at, and LMDB ends a process on some of them.
        let answerCount = report.answers.values.reduce(0, +)
        #expect(report.answers["ended", default: 0] <= max(4, answerCount / 25))
        return settings.tell(report, of: suite)
      }
    }

    /// On a disk that ignores one kind of sync, something breaks: no sync is superfluous, and none
    /// could be forgotten unnoticed.
    @Test func everyKindOfSyncIsMissed() async throws {
      try await settings.withRecording { recording in
        #expect(recording.syncClasses.count >= 9)
        var needless: [SyncClass] = []
        for (kind, count) in recording.syncClasses.sorted(by: { "\($0.key)" < "\($1.key)" }) {
          var suite = PowerLossSuite(
            recording: recording.without { $0 == kind }, seed: settings.seed)
          suite.failureLimit = 1
          suite.window = recording.window(after: kind)
          let report = try await suite.run(stateCount: 2_000)
          print("\(count) x \(kind), \(report.stateCount) states:", report.failures)
          if report.failures.isEmpty { needless.append(kind) }
        }
        #expect(needless.isEmpty, "seed \(settings.seed)")
        return needless.isEmpty
      }
    }

    /// LMDB without its syncs loses ledgers, and this suite sees that.
    @Test func aLedgerThatIsNotSyncedIsLost() async throws {
      let recording = try await PowerRecording.make(flags: ["without-syncs"])
      var suite = PowerLossSuite(recording: recording, seed: settings.seed)
      suite.failureLimit = 1
      let report = try await suite.run(stateCount: 100)
      print("no syncs of LMDB, \(report.stateCount) states:", report.failures)
      #expect(!report.failures.isEmpty)
    }
  }
}

/// The settings of the suite from environment variables.
struct PowerLossSettings {
  /// The program that does the work, and checks its remains.
  static let worker =
    ProcessInfo.processInfo.environment["POWER_LOSS_WORKER"] ?? WorkerProcess.program

  let seed: UInt64
  let stateCount: Int
  /// The only state to check.
  let state: Int?
  /// Where an earlier recording is.
  private let recording: String?

  init() {
    let environment = ProcessInfo.processInfo.environment
    seed = environment["POWER_LOSS_SEED"].flatMap(UInt64.init) ?? .random(in: 0...9_999_999)
    stateCount = environment["POWER_LOSS_STATES"].flatMap(Int.init) ?? TestAmount.of(500)
    state = environment["POWER_LOSS_STATE"].flatMap(Int.init)
    recording = environment["POWER_LOSS_RECORDING"]
  }

  /// Makes a recording, or takes an earlier one.
  ///
  /// - Parameter body: Returns whether all was well; if not, the recording is kept.
  func withRecording(_ body: (PowerRecording) async throws -> Bool) async throws {
    if let recording {
      _ = try await body(PowerRecording(readingFrom: recording))
      return
    }
    let recording = try await PowerRecording.make()
    if try await !body(recording) { try recording.keep() }
  }

  /// Prints the findings, and how to repeat them.
  ///
  /// - Returns: Whether there were none.
  func tell(
    _ report: PowerLossSuite.Report, of suite: PowerLossSuite,
    function: String = #function, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Bool {
    let recording = suite.recording
    print(
      "power loss: seed \(seed), \(recording.operations.count) operations,",
      "\(report.stateCount) states \(report.stateCounts.sorted { $0.key < $1.key }),",
      "answers \(report.answers)")
    for failure in report.failures {
      Issue.record(
        """
        \(failure)
        \(recording.describe(before: failure.cut))
        POWER_LOSS_RECORDING=\(recording.keptDirectory) POWER_LOSS_SEED=\(seed) \
        POWER_LOSS_STATE=\(failure.state) swift test --filter PowerLossTests.\(function.dropLast(2))
        """, sourceLocation: sourceLocation)
    }
    return report.failures.isEmpty
  }
}
