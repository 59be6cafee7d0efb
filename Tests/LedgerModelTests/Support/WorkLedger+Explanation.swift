import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

extension WorkLedger {
  /// Explains a promise, at the present time.
  ///
  /// - Parameters:
  ///   - living: The sessions whose processes are alive, among those that have not ended.
  ///   - frozen: The sessions that are frozen.
  func explain(
    _ number: Int, living: Set<Int> = [1, 2, 3], frozen: Set<Int> = []
  ) throws -> Explanation {
    try #require(try explainer(living: living, frozen: frozen).explain(PromiseID.numbered(number)))
  }

  func explainer(living: Set<Int> = [1, 2, 3], frozen: Set<Int> = []) throws -> Explainer {
    Explainer(state, at: context.now, try presences(living: living, frozen: frozen))
  }

  /// The state of work, at the present time.
  func standing(_ number: Int, living: Set<Int> = [1, 2, 3]) throws -> WorkStanding? {
    try promise(number).workStanding(at: context.now, presences(living: living, frozen: [])) {
      (id) throws(LedgerError) in try state.readablePromise(id)
    }
  }

  private func presences(living: Set<Int>, frozen: Set<Int>) throws -> SessionPresences {
    var known: [SessionID: SessionRecord.Presence] = [:]
    for session in try state.openSessions() { known[session.id] = .gone }
    for number in living where known[.numbered(number)] != nil {
      known[.numbered(number)] = .alive
    }
    for number in frozen { known[.numbered(number)] = .frozen }
    return SessionPresences(known)
  }

  /// The reasons why a promise waits.
  func reasons(
    _ number: Int, living: Set<Int> = [1, 2, 3], frozen: Set<Int> = []
  ) throws -> [Explanation.Reason] {
    try explain(number, living: living, frozen: frozen).reasons
  }
}
