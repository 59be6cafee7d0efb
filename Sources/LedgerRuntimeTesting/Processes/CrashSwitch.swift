import LedgerModel
import Synchronization

/// Ends all processes of a test at one of their commits, as a power cut would.
final class CrashSwitch: Sendable {
  /// A moment beside a commit.
  enum Moment: Sendable, Hashable, CaseIterable {
    /// The code before the commit has run, and its events are lost.
    case before
    /// The events are stored, and the code after the commit has not run.
    case after
  }

  private struct State {
    var commitCount = 0
    var target: (number: Int, moment: Moment)?
    var isTripped = false
    var onTrip: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// The number of commits since the last ``reset()``.
  var commitCount: Int { state.withLock { $0.commitCount } }

  /// Whether the processes were ended.
  var isTripped: Bool { state.withLock { $0.isTripped } }

  /// Ends the processes at a commit, counted from 1, and then calls a closure.
  func set(_ number: Int, _ moment: Moment, _ onTrip: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.target = (number, moment)
      state.onTrip = onTrip
    }
  }

  /// Lets processes use the store again.
  func reset() { state.withLock { $0 = State() } }

  func requireAlive() throws(LedgerError) {
    if isTripped { throw .processKilled }
  }

  /// Appends events, unless the processes end here.
  func append(
    _ body: () throws(LedgerError) -> AppendOutcome
  ) throws(LedgerError) -> AppendOutcome {
    let moment = state.withLock { state in
      state.commitCount += 1
      return state.target.flatMap { $0.number == state.commitCount ? $0.moment : nil }
    }
    switch moment {
    case nil: return try body()
    case .before: break
    case .after: _ = try body()
    }
    let onTrip = state.withLock { state in
      state.isTripped = true
      return state.onTrip.take()
    }
    onTrip?()
    throw .processKilled
  }
}
