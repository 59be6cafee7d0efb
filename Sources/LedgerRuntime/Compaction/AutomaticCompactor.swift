import Logging
import Synchronization

/// Compacts a session's ledger whenever many events are unfolded.
final class AutomaticCompactor: Sendable {
  private struct State {
    var isRunning = false
    /// The position of the ledger when the last compaction began.
    var lastStart = Position.start
  }

  private let settings: AutomaticCompaction
  private let state = Mutex(State())

  init(_ settings: AutomaticCompaction) {
    self.settings = settings
  }

  /// Compacts if many events follow the snapshot, in a separate task and never on the writer's thread.
  func compactIfNeeded(_ engine: LedgerEngine) {
    let (position, base) = engine.replica.withState { ($0.position, $0.base) }
    guard begins(at: position, base: base) else { return }
    Task.detached(priority: .utility) {
      do {
        let report = try await engine.compact(self.settings.policy, plan: nil)
        if let problem = report.problem { Self.warn(of: problem, engine) }
      } catch let error as LedgerError
        where error.code == .compactionBusy || error.code == .closed
      {
        // Another session is compacting, or this one is ending.
      } catch {
        Self.warn(of: "\(error)", engine)
      }
      self.state.withLock { $0.isRunning = false }
    }
  }

  /// Whether a compaction begins now.
  private func begins(at position: Position, base: Position) -> Bool {
    state.withLock { state in
      let length = max(1, settings.tailEventCount)
      guard !state.isRunning, base.count(to: position) >= length,
        // After a compaction that could not fold everything, not every commit tries again.
        state.lastStart == .start || state.lastStart.count(to: position) >= length
      else { return false }
      state = State(isRunning: true, lastStart: position)
      return true
    }
  }

  /// - Parameter what: The reason why the ledger could not be compacted, or not completely.
  private static func warn(of what: String, _ engine: LedgerEngine) {
    engine.setup.logger.warning(
      "the ledger could not be compacted", metadata: ["error": "\(what)"])
  }
}
