/// Points at which a test may observe a session, and deliberate faults.
package struct EngineHooks: Sendable {
  /// Called between looking up a record and reading the values stored beside its events.
  package var lookedUp: (@Sendable () async throws -> Void)?

  /// The number of events that a step of compaction folds; `nil` for the usual pace.
  package var sliceEventCount: Int?

  /// The number of children that work may have; `nil` for the usual limit.
  package var maximumChildCount: Int?

  #if DEBUG
    /// Makes the writer answer before it commits: a deliberate bug, to prove that crash tests detect it.
    package var acknowledgesBeforeCommit = false

    /// Makes a call commit its effects before its finish: a deliberate bug, to prove that crash tests detect
    /// it.
    package var commitsEffectsBeforeFinish = false
  #endif

  package init() {}
}
