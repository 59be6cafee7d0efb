public import LedgerRuntime

/// An error: a test waits for something that does not happen.
public struct WorkStandstill: Error, Sendable, Hashable {
  /// The reason to stop waiting.
  @nonexhaustive public enum Reason: Sendable, Hashable {
    /// Nothing is due, and nothing waits for a time.
    case nothingIsAwaited
    /// The clock was moved as often as the test allows.
    case tooManyJumps(Int)
    /// Code runs, and has not ended for as long as the test is patient: it waits for something that the ledger does
    /// not know of.
    case codeDoesNotEnd(Duration)
  }

  /// The reason to stop waiting.
  public let reason: Reason
  /// The pending promise that the test waits for, if it waits for one.
  public let promise: PromiseID?
  /// The time of the clock.
  public let time: Timestamp
  /// The reasons why that promise, and all open work, wait.
  public let explanations: [Explanation]
}

extension WorkStandstill: CustomStringConvertible {
  /// The reason, and a line for everything that waits.
  public var description: String {
    let pending = promise.map { " Promise \($0) is pending." } ?? ""
    let lines = explanations.map { explanation in
      let reasons = explanation.reasons.map(\.description).joined(separator: " ")
      return "\n- \(explanation.id): \(reasons)"
    }
    return "\(words)\(pending)\(lines.joined())"
  }

  private var words: String {
    switch reason {
    case .nothingIsAwaited: "At \(time), no work is due, and nothing waits for a time."
    case .codeDoesNotEnd(let patience): "At \(time), code runs that has not ended for \(patience)."
    case .tooManyJumps(let count): "The clock was moved \(count) times, the last time to \(time)."
    }
  }
}
