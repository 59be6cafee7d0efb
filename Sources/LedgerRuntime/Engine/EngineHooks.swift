/// Places where a test may look at a session, and ways to make it wrong.
package struct EngineHooks: Sendable {
  /// Called between the look-up of a record and the reading of what is stored beside its events.
  package var lookedUp: (@Sendable () async throws -> Void)?

  /// How many events a step of compaction folds; `nil` lets it find its pace.
  package var sliceEventCount: Int?

  #if DEBUG
    /// Makes the writer answer before it commits: a bug, for crash tests to prove that they see it.
    package var acknowledgesBeforeCommit = false

    /// Makes a call commit its effects before its finish: a bug, for crash tests to prove that they
    /// see it.
    package var commitsEffectsBeforeFinish = false
  #endif

  package init() {}
}
