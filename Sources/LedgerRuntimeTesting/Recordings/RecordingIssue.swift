public import LedgerRuntime

/// An error: a recording does not hold the history of a test, or did not until now.
public struct RecordingIssue: Error, Sendable, Hashable {
  /// What is wrong.
  @nonexhaustive public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// There is no recording, and none was made.
    case missing
    /// The recording was made. Run the test again.
    case made
    /// The recording was written again. Run the test again.
    case remade
    /// The recording differs from the history.
    case differs
  }

  /// What is wrong.
  public let kind: Kind
  /// The path of the recording.
  public let path: String
  /// The first difference; only with ``Kind/differs``.
  public let divergence: RecordingDivergence?

  init(_ kind: Kind, _ path: String, _ divergence: RecordingDivergence? = nil) {
    self.kind = kind
    self.path = path
    self.divergence = divergence
  }
}

extension RecordingIssue: CustomStringConvertible {
  /// What is wrong, and what to do.
  public var description: String {
    switch kind {
    case .missing: "There is no recording at \(path). Run the test with RECORD=missing to make it."
    case .made: "The recording \(path) was made. Run the test again to compare with it."
    case .remade: "The recording \(path) was made anew. Run the test again to compare with it."
    case .differs:
      "The history differs from the recording \(path). \(advice)\n\(divergence.map { "\($0)" } ?? "")"
    }
  }

  private var advice: String {
    divergence.map { $0.kind == .otherEvent } ?? true
      ? "If it should, run the test with RECORD=failed."
      : "This build reads the recorded events differently, as it would those of existing ledgers. Correct that; run the test with RECORD=failed only if no ledger has such events."
  }
}
