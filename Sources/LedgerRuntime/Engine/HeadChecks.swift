import LedgerSystem
import Synchronization

/// Looks at the head of a remote store, on a thread of its own, for all reads that wait for it.
///
/// A look counts only for the reads that asked before it began: those that come while one is under way
/// share the next one.
final class HeadChecks: Sendable {
  private struct Read {
    let store: any EventStore
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Contents {
    var reads: [Int: Read] = [:]
    var nextToken = 0
    var isRunning = false
  }

  private let contents = Mutex(Contents())

  /// How many reads wait for a look that did not begin yet.
  var waitingCount: Int { contents.withLock { $0.reads.count } }

  /// Waits for a look at a store that begins from now on. Cancelling the task ends the wait.
  ///
  /// - Parameter look: Brings the replica up to the head; another read's may be used, which does the
  ///   same.
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
          contents.reads[token] = Read(store: store, continuation: continuation)
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
    let read = contents.withLock { $0.reads.removeValue(forKey: token) }
    read?.continuation.resume(throwing: CancellationError())
  }

  private func start(
    _ look: @escaping @Sendable (any EventStore) throws(LedgerError) -> Void
  ) {
    do throws(SystemError) {
      _ = try SystemThread.start(name: "ledger-head") { self.run(look) }
    } catch {
      // Without a thread the caller's has to do.
      run(look)
    }
  }

  private func run(_ look: (any EventStore) throws(LedgerError) -> Void) {
    while let reads = takeReads() {
      // A freeze between two reads gave them different stores, of which one is closed.
      var results: [ObjectIdentifier: Result<Void, LedgerError>] = [:]
      for read in reads {
        let id = ObjectIdentifier(read.store)
        let result = results[id] ?? Result { () throws(LedgerError) in try look(read.store) }
        results[id] = result
        read.continuation.resume(with: result.mapError { $0 as any Error })
      }
    }
  }

  /// - Returns: `nil` if no read waits; the thread then ends.
  private func takeReads() -> [Read]? {
    contents.withLock { contents in
      guard !contents.reads.isEmpty else {
        contents.isRunning = false
        return nil
      }
      defer { contents.reads = [:] }
      return Array(contents.reads.values)
    }
  }
}
