import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CrashTests {
  /// An obstacle that stops a compaction loses nothing, and the next compaction continues.
  @Suite(.timeLimit(.minutes(10)))
  struct CompactionTroubleTests {
    @Test(.timeLimit(.minutes(5)))
    func aDiskThatIsFullInAnyPhaseLosesNothing() async throws {
      let trial = try await CompactionTrial()
      let count = try #require(trial.counts["commits"])
      for number in 0...count {
        let lines = try await trial.run(
          .init(name: "full", number: number), endsWith: .exited(0))
        // After the last commit no further room is needed.
        let ending = number == count ? "compacted" : "failed diskFull"
        #expect(lines.contains(ending), "full after commit \(number): \(lines)")
      }
    }

    @Test(.timeLimit(.minutes(5)))
    func aCompactionThatIsCancelledInAnyStepIsGoneOnWith() async throws {
      let trial = try await CompactionTrial()
      var phases: Set<CompactionProgress.Phase> = []
      for number in 1...(try #require(trial.counts["between"])) {
        let copy = try trial.history.copy()
        let ledger = try await copy.open(sliceEventCount: 25)
        let before = try await copy.answers(of: ledger)
        let cancellation = Cancellation(atStep: number)
        let task = Task {
          try await ledger.compact(.everything(archivedIn: copy.archives)) {
            cancellation.reached($0.phase)
          }
        }
        cancellation.set { task.cancel() }
        // If cancelled after the last step, there may be nothing left to cancel.
        do {
          _ = try await task.value
        } catch is CancellationError {
          if let phase = cancellation.phase { phases.insert(phase) }
        }
        // One may be under way when the task is cancelled from outside of it.
        #expect(cancellation.stepsAfter <= 1, "cancelled after step \(number)")
        try await trial.expectSame(copy, ledger, before, "cancelled after step \(number)")
      }
      #expect(phases == Set(CompactionProgress.Phase.allCases))
    }

    /// A process that was stopped in the middle blocks other compactions, but nothing else.
    @Test(.timeLimit(.minutes(2)), arguments: [SIGCONT, SIGKILL])
    func aSecondCompactorIsRefusedUntilTheFirstEnds(signal: Int32) async throws {
      let trial = try await CompactionTrial()
      let copy = try trial.history.copy()
      let ledger = try await copy.open()
      let before = try await copy.answers(of: ledger)
      let worker = try CompactionTrial.worker(copy, .init(name: "stop", number: 3))
      #expect(await worker.nextLine() == "stopping")
      let error = await #expect(throws: LedgerError.self) { try await ledger.compact() }
      #expect(error?.code == .compactionBusy)
      try await copy.check(ledger, against: before, "stopped")
      let promise = try await ledger.createPromise(of: Int.self)
      try await promise.fulfill(1)
      #expect(try await promise.consume() == 1)
      worker.send(signal: signal)
      _ = await worker.rest()
      #expect(await worker.end() == (signal == SIGCONT ? .exited(0) : .signalled(SIGKILL)))
      try await copy.check(ledger, against: before, "after the signal")
      try await ledger.compact(.everything(archivedIn: copy.archives))
      try await copy.check(ledger, against: before, "compacted")
      await ledger.close()
      try Self.expectWholeHistory(of: copy)
    }

    private static func expectWholeHistory(of copy: CompactionCopy) throws {
      _ = try WholeHistory(of: copy.temporary, archives: copy.archives)
    }
  }
}

/// Cancels a task after some step of its own.
private final class Cancellation: Sendable {
  private struct State {
    var stepsLeft: Int
    var phase: CompactionProgress.Phase?
    var cancel: (@Sendable () -> Void)?
    var isReached = false
    var isCancelled = false
    var stepsAfter = 0
  }

  private let state: Mutex<State>

  init(atStep number: Int) {
    state = Mutex(State(stepsLeft: number))
  }

  /// The phase that was cancelled.
  var phase: CompactionProgress.Phase? { state.withLock { $0.phase } }

  /// How many steps ended after it was cancelled.
  var stepsAfter: Int { state.withLock { $0.stepsAfter } }

  func set(_ cancel: @escaping @Sendable () -> Void) {
    let isLate = state.withLock { state in
      state.cancel = cancel
      return state.isReached
    }
    if isLate { end(cancel) }
  }

  private func end(_ cancel: () -> Void) {
    cancel()
    state.withLock { $0.isCancelled = true }
  }

  func reached(_ phase: CompactionProgress.Phase) {
    let cancel = state.withLock { state -> (@Sendable () -> Void)? in
      state.stepsLeft -= 1
      if state.isCancelled { state.stepsAfter += 1 }
      guard state.stepsLeft == 0 else { return nil }
      state.isReached = true
      state.phase = phase
      return state.cancel
    }
    if let cancel { end(cancel) }
  }
}
