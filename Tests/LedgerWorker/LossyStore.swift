import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// A store that now and then loses the answer of a commit, or the commit with it.
final class LossyStore: ForwardingEventStore {
  let base: any EventStore
  private let isArmed: Flag
  private let count = Atomic<Int>(0)

  /// One of so many commits is lost in each of the two ways.
  private static let interval = 24

  /// - Parameter isArmed: Whether it loses anything.
  init(_ base: any EventStore, isArmed: Flag) {
    self.base = base
    self.isArmed = isArmed
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after position: Position
  ) throws(LedgerError) -> AppendOutcome {
    guard isArmed.isSet else { return try base.append(batch, commit, after: position) }
    switch count.wrappingAdd(1, ordering: .relaxed).newValue % Self.interval {
    case Self.interval / 2: break
    case 0: _ = try base.append(batch, commit, after: position)
    default: return try base.append(batch, commit, after: position)
    }
    throw LedgerError(.commitOutcomeUnknown, "The answer was lost.")
  }
}
