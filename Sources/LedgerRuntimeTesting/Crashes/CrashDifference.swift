import LedgerModel
public import LedgerRuntime

/// An error: a ledger came to another end after its processes were killed than without that.
public struct CrashDifference: Error, Sendable {
  /// The newest event at the crash.
  public let position: Position
  /// Whether the processes were killed just before a commit, whose events were lost; otherwise, just after the
  /// commit that ended at `position`.
  public let losesCommit: Bool
  /// The last events up to that position, in words.
  public let events: [String]
  /// The end without a crash, in lines.
  public let expected: [String]
  /// The end after the crash, in lines; empty if there was an error.
  public let actual: [String]
  /// The error that the scenario threw when it was run again after the crash.
  public let error: (any Error)?
}

extension CrashDifference: CustomStringConvertible {
  /// The position, the lines that differ, and the events.
  public var description: String {
    let place =
      losesCommit
      ? "before the commit that would have followed position \(position)"
      : "after the commit that ended at position \(position)"
    var lines = ["All processes were killed just \(place), and the scenario was run again."]
    if let error {
      lines.append("It then threw \(error)")
    } else {
      lines.append("The end differs (- is missing, + was not there without the crash):")
      for change in actual.difference(from: expected) {
        switch change {
        case .remove(_, let line, _): lines.append("  - \(line)")
        case .insert(_, let line, _): lines.append("  + \(line)")
        }
      }
    }
    lines.append("The last events before the crash:")
    return (lines + events.map { "- \($0)" }).joined(separator: "\n")
  }
}
