import Logging
import Synchronization

/// Remembers when a session compacted by itself, so that it does so once in a while only.
final class AutomaticCompactor: Sendable {
  private struct State {
    var isRunning = false
    /// Where the ledger stood when the last one began.
    var lastStart = Position.start
  }

  private let state = Mutex(State())

  /// Whether one is to begin now.
  func begins(at position: Position, base: Position, tailEventCount: Int) -> Bool {
    state.withLock { state in
      let length = UInt64(max(1, tailEventCount))
      guard !state.isRunning, position.rawValue - min(base, position).rawValue >= length,
        // One that could not fold everything is not tried again with every commit.
        state.lastStart == .start
          || position.rawValue - min(state.lastStart, position).rawValue >= length
      else { return false }
      state = State(isRunning: true, lastStart: position)
      return true
    }
  }

  func end() {
    state.withLock { $0.isRunning = false }
  }
}

extension LedgerEngine {
  /// Compacts in a task of its own, never on the writer's thread, if the tail is long.
  func compactIfNeeded() {
    guard let automatic = setup.automaticCompaction else { return }
    let (position, base) = replica.withState { ($0.position, $0.base) }
    guard
      automaticCompaction.begins(
        at: position, base: base, tailEventCount: automatic.tailEventCount)
    else { return }
    Task.detached(priority: .utility) {
      do {
        let report = try await self.compact(automatic.policy)
        if let problem = report.problem { self.warnOfCompaction(problem) }
      } catch let error as LedgerError
        where error.code == .compactionBusy || error.code == .closed
      {
        // Another session does it, or this one ends.
      } catch {
        self.warnOfCompaction("\(error)")
      }
      self.automaticCompaction.end()
    }
  }

  /// - Parameter what: Why the ledger could not be compacted, or not all of it.
  private func warnOfCompaction(_ what: String) {
    setup.logger.warning("the ledger could not be compacted", metadata: ["error": "\(what)"])
  }
}
