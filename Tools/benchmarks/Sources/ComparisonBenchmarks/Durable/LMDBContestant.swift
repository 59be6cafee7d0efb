import CDisk

/// Plain C that appends events of the same size to LMDB: one thread, with all events that so many callers could have
/// waiting in one commit. No ledger on LMDB can be faster.
///
/// It is `Sendable` because all threads may use an environment of LMDB.
@safe
final class LMDBContestant: DurableContestant, @unchecked Sendable {
  /// The size of the event of a new promise in the ledger's log, with its share of a frame.
  private static let eventByteCount = 112

  private let store: OpaquePointer

  init(at directory: String) throws {
    var out: OpaquePointer?
    let status = unsafe log_store_open(directory, &out)
    guard status == 0, let store = unsafe out else { throw LMDBFailure(status: status) }
    unsafe self.store = store
  }

  deinit { unsafe log_store_close(store) }

  func create() async throws { try commit(1) }

  func cycle() async throws { for _ in 0..<3 { try commit(1) } }

  func run(_ task: DurableTask, callers: Int, for duration: Duration) async throws -> Turn {
    let commitCount = task == .create ? 1 : 3
    let start = monotonicNanoseconds()
    let end = start + UInt64(duration / .nanoseconds(1))
    var turn = Turn()
    while monotonicNanoseconds() < end {
      turn.latencies.append(
        try await microseconds { for _ in 0..<commitCount { try commit(callers) } })
      turn.count += callers
    }
    turn.seconds = Double(monotonicNanoseconds() - start) / 1e9
    return turn
  }

  func close() async {}

  private func commit(_ count: Int) throws {
    let status = unsafe log_store_commit(store, count, Self.eventByteCount)
    guard status == 0 else { throw LMDBFailure(status: status) }
  }
}

struct LMDBFailure: Error {
  let status: Int32
}
