/// The amount of work that runs at once in one session.
public struct RunnerLimits: Sendable, Hashable {
  /// The maximum amount of work in all; at least 1.
  public var total: Int
  /// The maximum amount of work of some kinds, by their present or former names; at least 1. A ``LedgerRunner``
  /// refuses kinds that its session does not know; a session that runs work by itself logs a warning.
  public var kinds: [String: Int]
  /// The time that running code has to end after the runner was told to stop. Its task is then cancelled, and
  /// the work is given back.
  public var gracePeriod: Duration

  /// Makes limits.
  public init(total: Int = 64, kinds: [String: Int] = [:], gracePeriod: Duration = .seconds(5)) {
    self.total = total
    self.kinds = kinds
    self.gracePeriod = gracePeriod
  }
}

extension LedgerConfiguration {
  /// The way in which a session runs work.
  @nonexhaustive public enum RunnerPolicy: Sendable, Hashable {
    /// The session runs no work by itself; a ``LedgerRunner`` does.
    case manual
    /// The session runs the work of all kinds that it knows, from its opening to its end.
    case automatic(RunnerLimits)

    /// The session runs the work of all kinds that it knows, with the default limits.
    public static var automatic: RunnerPolicy { .automatic(RunnerLimits()) }
  }
}
