import LedgerModelTestSupport
import LedgerTestSupport

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// One session on a store: its own copy of the state, caught up in every commit.
final class StoredLedger {
  private(set) var state = LedgerState()
  private(set) var decisionCount = 0
  private let store: any EventStore
  private let session: SessionID
  private var commitCount: UInt64 = 0

  init(_ store: any EventStore, session: Int) throws {
    self.store = store
    self.session = .numbered(session)
    try commit(OpenSession(.sample(instance: "instance \(session)")))
  }

  /// Reads the stored events, like a process without memory.
  static func replaying(_ store: any EventStore) throws -> LedgerState {
    var state = LedgerState()
    _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent { (event) throws(LedgerError) in try state.apply(event) }
    }
    return state
  }

  @discardableResult
  func commit<Answer>(_ command: some Command<Answer>) throws -> Answer {
    commitCount += 1
    let context = DecisionContext(session: session, role: .app, now: .at(1_000))
    var answer: Answer?
    var staged: StagedLayer?
    _ = try store.commit(
      CommitID(session: session, number: commitCount), after: state.position,
      patience: Patience(.seconds(5)),
      catchUp: { (frame) throws(LedgerError) in
        try frame.forEachEvent(after: state.position) { (event) throws(LedgerError) in
          try state.apply(event)
        }
      },
      decide: { (_, room) throws(LedgerError) in
        decisionCount += 1
        var decision = Decision(over: state, context: context)
        answer = try decision.run(command)
        staged = decision.staged
        return decision.batch
      })
    if let staged { state.merge(staged) }
    guard let answer else { throw LedgerError(.internalInconsistency, "nothing was decided") }
    return answer
  }
}
