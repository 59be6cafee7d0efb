import LedgerSystem
import Synchronization

/// Checks the head of a remote store, on a dedicated thread, for all waiting reads.
///
/// A check counts only for the reads that were waiting when it began: reads that arrive during a check share
/// the next one.
final class HeadChecks: Sendable {
  private struct Read {
    let store: any EventStore
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Contents {
    /// The reads that wait for the next check.
    var waiting: [Int: Read] = [:]
    /// The reads that the running check answers.
    var checked: [Int: Read] = [:]
    var nextToken = 0
    var isRunning = false

    mutating func remove(_ token: Int) -> Read? {
      waiting.removeValue(forKey: token) ?? checked.removeValue(forKey: token)
    }
  }

  private let contents = Mutex(Contents())

  /// The number of reads that wait for a check that has not begun yet.
  var waitingCount: Int { contents.withLock { $0.waiting.count } }

  /// Waits for a check of a store that begins after this call. Cancelling the task ends the wait at once,
  /// also during the check.
  ///
  /// - Parameter look: Brings the replica up to the head. An equivalent closure of another read may run
  ///   instead.
  func check(
    _ store: any EventStore,
    _ look: @escaping @Sendable (any EventStore) throws(LedgerError) -> Void
  ) async throws {
    let token = contents.withLock { contents in
      contents.nextToken += 1
      return contents.nextToken
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let begins = contents.withLock { contents in
          contents.waiting[token] = Read(store: store, continuation: continuation)
          defer { contents.isRunning = true }
          return !contents.isRunning
        }
        // A cancellation before the registration found no read to cancel.
        if Task.isCancelled { cancel(token) }
        if begins { start(look) }
      }
    } onCancel: {
      cancel(token)
    }
  }

  private func cancel(_ token: Int) {
    let read = contents.withLock { $0.remove(token) }
    read?.continuation.resume(throwing: CancellationError())
  }

  private func start(
    _ look: @escaping @Sendable (any EventStore) throws(LedgerError) -> Void
  ) {
    do throws(SystemError) {
      _ = try SystemThread.start(name: "ledger-head") { self.run(look) }
    } catch {
      // If no thread could be created, the caller's thread does the check.
      run(look)
    }
  }

  private func run(_ look: (any EventStore) throws(LedgerError) -> Void) {
    while let reads = takeReads() {
      // If a freeze occurred between two reads, they have different stores, one of which is closed.
      var results: [ObjectIdentifier: Result<Void, LedgerError>] = [:]
      for (token, store) in reads {
        let id = ObjectIdentifier(store)
        let result = results[id] ?? Result { () throws(LedgerError) in try look(store) }
        results[id] = result
        // A canceled read is no longer there.
        let read = contents.withLock { $0.remove(token) }
        read?.continuation.resume(with: result.mapError { $0 as any Error })
      }
    }
  }

  /// - Returns: `nil` if no read waits; the thread then ends.
  private func takeReads() -> [(token: Int, store: any EventStore)]? {
    contents.withLock { contents in
      guard !contents.waiting.isEmpty else {
        contents.isRunning = false
        return nil
      }
      contents.checked = contents.waiting
      contents.waiting = [:]
      return contents.checked.map { ($0.key, $0.value.store) }
    }
  }
}
