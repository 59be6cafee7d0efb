public import PromiseLedger

/// Two ways to replay one history lead to two states.
public struct ReplayDifference: Error, Sendable, Hashable {
  /// How the state came about that is not the expected one.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    /// All events were replayed; another digest was expected.
    case wholeReplay
    /// The events after a snapshot were replayed over it.
    case snapshot
    /// All events were folded, and those deleted that compaction may delete.
    case compaction
    /// The compacted ledger was opened again.
    case reopening
    /// A second process replayed the compacted ledger.
    case secondProcess
    /// The compacted ledger was exported and imported.
    case archive
  }

  /// How the state came about.
  public let check: Check
  /// The first position at which the states differ, as far as it can be told.
  public let position: Position
  /// The first entity that differs, as far as it can be told.
  public let subject: EntityID?
  /// The digest that was expected.
  public let expected: StateDigest
  /// The digest that the state has.
  public let actual: StateDigest
}

extension ReplayDifference: CustomStringConvertible {
  /// The difference in a sentence.
  public var description: String {
    let entity = subject.map { ", first in \($0)" } ?? ""
    return
      "The check \(check.rawValue) has another state at position \(position)\(entity): the digest is \(actual), and should be \(expected)."
  }
}
