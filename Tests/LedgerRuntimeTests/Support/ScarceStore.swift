import LedgerModelTestSupport
import Synchronization

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting

/// A store in memory that can be full, and whose values beside events can be damaged.
final class ScarceStore: ForwardingStore {
  private struct Contents {
    var room = CommitRoom.unlimited
    var isDamaged = false
  }

  let store = InMemoryEventStore()
  private let contents = Mutex(Contents())

  /// The room for every commit.
  var room: CommitRoom {
    get { contents.withLock { $0.room } }
    set { contents.withLock { $0.room = newValue } }
  }

  /// Leaves room only for events that a full ledger accepts.
  func fill() { room = CommitRoom(bytes: 0, bytesWithReserve: .max) }

  func makeRoom() { room = .unlimited }

  /// Damages all values that are stored beside events.
  func damageAttachments() { contents.withLock { $0.isDamaged = true } }

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    let turn = try store.beginCommit(patience)
    return CommitTurn(head: turn.head, turn.headCommit, room: room)
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    guard contents.withLock({ $0.isDamaged }) else { return try store.attachments(wanted) }
    return wanted.map { _ in .failure(LedgerError(.corrupt, "It is damaged.")) }
  }
}
