import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// A store that now and then loses the answer of a commit, or the commit with it, and may be slow.
final class LossyStore: ForwardingEventStore {
  let base: any EventStore
  private let isArmed: Flag
  private let delayInMicroseconds: UInt32
  private let count = Atomic<Int>(0)

  /// One of so many commits is lost in each of the two ways.
  private static let interval = 24

  /// - Parameters:
  ///   - isArmed: Whether it loses anything.
  ///   - delayInMicroseconds: The time between deciding and writing.
  init(_ base: any EventStore, isArmed: Flag, delayInMicroseconds: UInt32) {
    self.base = base
    self.isArmed = isArmed
    self.delayInMicroseconds = delayInMicroseconds
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after position: Position
  ) throws(LedgerError) -> AppendOutcome {
    if delayInMicroseconds > 0 { usleep(delayInMicroseconds) }
    guard isArmed.isSet else { return try base.append(batch, commit, after: position) }
    switch count.wrappingAdd(1, ordering: .relaxed).newValue % Self.interval {
    case Self.interval / 2: break
    case 0: _ = try base.append(batch, commit, after: position)
    default: return try base.append(batch, commit, after: position)
    }
    throw LedgerError(.commitOutcomeUnknown, "The answer was lost.")
  }
}
