import LedgerSystem
import PromiseLedgerTesting
import Testing

@testable import LedgerRuntime
@testable import PromiseLedger

/// What tells a reader that a ledger may have changed.
@Suite(.timeLimit(.minutes(5)))
struct ChangeWatchTests {
  /// Waits on a thread of its own, because the wait blocks it.
  private func wait(
    of watch: ChangeWatch, since count: UInt32, timeout: Duration
  ) async throws {
    try await withCheckedThrowingContinuation {
      (continuation: CheckedContinuation<Void, any Error>) in
      do throws(SystemError) {
        _ = try SystemThread.start(name: "watch") {
          watch.wait(since: count, timeout: timeout)
          continuation.resume()
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  @Test func aCommitOfASessionEndsTheWait() async throws {
    let temporary = try TemporaryLedger()
    let ledger = try await temporary.open(as: .app)
    let inspector = try BlockingInspector(at: temporary.path)
    let watch = inspector.makeChangeWatch()
    let count = watch.count
    // A watch that misses the commit takes its minute.
    async let waited: Void = wait(of: watch, since: count, timeout: .seconds(60))
    _ = try await ledger.createPromise(of: Int.self)
    try await waited
    #expect(watch.count != count)
    inspector.close()
  }

  @Test func withoutTheFileItOnlyWaits() async throws {
    let temporary = try TemporaryLedger()
    let watch = ChangeWatch(temporary.path + "/missing")
    try await wait(of: watch, since: watch.count, timeout: .milliseconds(1))
    #expect(watch.count == 0)
  }
}
