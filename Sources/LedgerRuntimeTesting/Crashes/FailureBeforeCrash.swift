/// An error: a run of a scenario threw an error before the crash that ``CrashPoints`` had planned for it, although the
/// run without a crash threw none.
///
/// The scenario does not do the same in each run. A time, a random number or the order of two tasks may be the reason.
public struct FailureBeforeCrash: Error, Sendable {
  /// The commit at which the processes were to be killed, counted from 1.
  public let commitNumber: Int
  /// Whether the processes were to be killed just before the commit; otherwise, just after it.
  public let losesCommit: Bool
  /// The error that the scenario threw.
  public let error: any Error
}

extension FailureBeforeCrash: CustomStringConvertible {
  /// The error, and the run in which it was thrown.
  public var description: String {
    "The scenario threw \(error) in the run that was to end just \(losesCommit ? "before" : "after") commit \(commitNumber). It threw nothing in the run without a crash: make it do the same in each run."
  }
}
