import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import LedgerSystem
@testable import PromiseLedger

/// Commands that one task submits without awaiting each one before the next.
@Suite(.timeLimit(.minutes(1))) struct SharedCommitTests {
  /// A store that lets a commit begin only once it is asked for as many commands as the test has.
  private final class PatientStore: ForwardingStore {
    let store = InMemoryEventStore()
    private let contents = Mutex((isReady: { @Sendable () -> Bool in true }, eventCounts: [Int]()))

    /// The number of events of each commit since ``beginOnce(_:)``.
    var eventCounts: [Int] { contents.withLock { $0.eventCounts } }

    /// Lets no commit begin before a condition is met.
    func beginOnce(_ isReady: @escaping @Sendable () -> Bool) {
      contents.withLock { $0 = (isReady, []) }
    }

    func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
      let isReady = contents.withLock { $0.isReady }
      while !isReady() { pauseThread(for: .microseconds(100)) }
      return try store.beginCommit(patience)
    }

    func append(
      _ batch: EventBatch, _ commit: CommitID, after position: Position
    ) throws(LedgerError) -> AppendOutcome {
      contents.withLock { $0.eventCounts.append(batch.count) }
      return try store.append(batch, commit, after: position)
    }
  }

  @Test func commandsThatATaskSubmitsSideBySideShareACommit() async throws {
    let store = PatientStore()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
    let inbox = ledger.engine.inbox
    store.beginOnce { inbox.commandCount == 3 }
    async let first = ledger.createPromise(of: Int.self)
    async let second = ledger.createPromise(of: String.self)
    async let handle = ledger.createPromise(key: PromiseKey("third"), of: Int.self)
    let ids = try await [first.id, second.id, handle.id]
    #expect(store.eventCounts == [3])
    #expect(Set(ids).count == 3)
    store.beginOnce { true }
    await ledger.close()
  }

  /// All tasks that are ready on the writer's thread run before its next commit.
  @Test func tasksOnTheWritersThreadShareACommit() async throws {
    let store = PatientStore()
    let ledger = try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: CompactionSample.configuration())
    store.beginOnce { true }
    try await Task(executorPreference: ledger.taskExecutor) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { _ = try await ledger.createPromise(of: Int.self) } }
        try await group.waitForAll()
      }
    }.value
    #expect(store.eventCounts == [10])
    await ledger.close()
  }
}
