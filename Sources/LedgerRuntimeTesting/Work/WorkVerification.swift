public import LedgerRuntime

/// The result of a ``WorkVerifier``.
public struct WorkVerification: Sendable, Hashable {
  /// The outcome that all runs came to; `nil` if the promise was abandoned.
  public let outcome: PromiseOutcome<StoredValue>?
  /// The number of prefixes of the history from which the work was run again.
  public internal(set) var prefixCount = 0
  /// The number of steps that ended in the first run.
  public let stepCount: Int
  /// The number of attempts that were started in all runs.
  public internal(set) var attemptCount: Int
}

/// An error: work came to another outcome after its process was killed than without that.
public struct WorkDifference: Error, Sendable, Hashable {
  /// The newest event that was kept: the process was killed after it.
  public let position: Position
  /// The last events up to that position, in words.
  public let events: [String]
  /// The steps whose results were kept.
  public let steps: [String]
  /// The outcome without a kill; `nil` if the promise was abandoned.
  public let expected: PromiseOutcome<StoredValue>?
  /// The outcome after the kill; `nil` if there was none.
  public let actual: PromiseOutcome<StoredValue>?
  /// The reason why there was no outcome after the kill.
  public let standstill: WorkStandstill?
}

extension WorkDifference: CustomStringConvertible {
  /// The outcomes, the kept steps, and the events.
  public var description: String {
    let actual = standstill.map { "there is no outcome: \($0)" } ?? words(of: actual)
    let steps =
      steps.isEmpty ? "No step was kept." : "Kept steps: \(steps.joined(separator: ", "))."
    let lines = [
      "After a kill at position \(position), \(actual)", "Without it, \(words(of: expected))",
      steps,
      "The last events before the kill:",
    ]
    return (lines + events.map { "- \($0)" }).joined(separator: "\n")
  }

  private func words(of outcome: PromiseOutcome<StoredValue>?) -> String {
    switch outcome {
    case .fulfilled(let value):
      "the promise is fulfilled with \(String(decoding: value.bytes, as: UTF8.self)) (\(value.typeTag))."
    case .rejected(let error): "the promise is rejected: \(error)"
    case .cancelled(let reason): "the promise is cancelled: \(reason)"
    case .timedOut: "the promise has timed out."
    case nil: "the promise is abandoned."
    }
  }
}
