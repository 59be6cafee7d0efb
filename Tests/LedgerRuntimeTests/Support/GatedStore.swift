import LedgerModelTestSupport
import LedgerSystem
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// A store in memory whose answers can be held back, as those of a slow network.
final class GatedStore: ForwardingStore {
  /// An answer that is held back this long never comes.
  private static let patience = Duration.seconds(20)

  let store = InMemoryEventStore()
  let isRemote = true
  /// The answers that are held back; `nil` while none are.
  private let held = Mutex<[WakeSemaphore]?>(nil)

  /// Holds back the answers from now on.
  func hold() { held.withLock { $0 = [] } }

  /// Lets them come.
  func release() {
    let semaphores = held.withLock { held -> [WakeSemaphore] in
      defer { held = nil }
      return held ?? []
    }
    for semaphore in semaphores { semaphore.signal() }
  }

  /// How many answers are held back now.
  var heldCount: Int { held.withLock { $0?.count ?? 0 } }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    let answer = try store.view(request)
    try pass()
    return answer
  }

  func head() throws(LedgerError) -> Position {
    try pass()
    return try store.head()
  }

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    try pass()
    return try store.read(after: position, limit: limit, body)
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try pass()
    return try store.readSnapshot(body)
  }

  private func pass() throws(LedgerError) {
    let semaphore = WakeSemaphore()
    let isHeld = held.withLock { held in
      held?.append(semaphore)
      return held != nil
    }
    guard !isHeld || semaphore.wait(timeout: Self.patience) else {
      throw LedgerError(.unavailable, "The answer was held back for too long.")
    }
  }
}
