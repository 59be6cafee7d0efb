import LedgerModelTestSupport
import Synchronization

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store in memory that fails where it is told to.
final class FailingStore: ForwardingStore {
  enum Place: Sendable, CaseIterable {
    case view, beginCommit, append
    /// The events are stored, but the call reports a failure.
    case afterAppend
  }

  let store = InMemoryEventStore()
  private struct Failure: Sendable {
    let place: Place
    let code: LedgerError.Code
    let meanwhile: @Sendable () -> Void
  }

  private let failure = Mutex<Failure?>(nil)

  /// Fails at a place, again and again, until ``mend()``; `meanwhile` happens each time before that.
  func fail(
    at place: Place, _ code: LedgerError.Code, _ meanwhile: @escaping @Sendable () -> Void = {}
  ) {
    failure.withLock { $0 = Failure(place: place, code: code, meanwhile: meanwhile) }
  }

  func mend() { failure.withLock { $0 = nil } }

  private func check(_ place: Place) throws(LedgerError) {
    let failure = failure.withLock { $0 }
    guard let failure, failure.place == place else { return }
    failure.meanwhile()
    throw LedgerError(failure.code, "It fails, because it was told to.")
  }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    try check(.view)
    return try store.view(request)
  }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    try check(.beginCommit)
    return try store.beginCommit(patience)
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after base: Position
  ) throws(LedgerError) -> AppendOutcome {
    try check(.append)
    let outcome = try store.append(batch, commit, after: base)
    try check(.afterAppend)
    return outcome
  }
}
