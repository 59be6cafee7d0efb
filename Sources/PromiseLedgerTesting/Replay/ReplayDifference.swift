public import PromiseLedger

/// An error: two ways to replay the same history lead to different states.
public struct ReplayDifference: Error, Sendable, Hashable {
  /// The way of producing the state that differs from the expected one.
  @nonexhaustive public enum Check: String, Sendable, Hashable, CaseIterable {
    /// All events were replayed, and the result differs from the expected digest.
    case wholeReplay
    /// The events after a snapshot were replayed over it.
    case snapshot
    /// All events were folded, and those that compaction may delete were deleted.
    case compaction
    /// The compacted ledger was opened again.
    case reopening
    /// A second process replayed the compacted ledger.
    case secondProcess
    /// The compacted ledger was exported and imported.
    case archive
  }

  /// The way in which the state was produced.
  public let check: Check
  /// The first position at which the states differ, as far as is known.
  public let position: Position
  /// The first entity that differs, as far as is known.
  public let subject: EntityID?
  /// The expected digest.
  public let expected: StateDigest
  /// The actual digest of the state.
  public let actual: StateDigest
}

extension ReplayDifference: CustomStringConvertible {
  /// The difference, in one sentence.
  public var description: String {
    let entity = subject.map { ", first in \($0)" } ?? ""
    return
      "The check \(check.rawValue) has another state at position \(position)\(entity): the digest is \(actual), but should be \(expected)."
  }
}
