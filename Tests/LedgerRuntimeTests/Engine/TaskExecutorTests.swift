import LedgerLocks
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerRuntime
@testable import PromiseLedger

/// Tasks that run on the thread that commits their commands.
@Suite(.timeLimit(.minutes(1))) struct TaskExecutorTests {
  private func open(
    _ configure: (inout LedgerConfiguration) -> Void = { _ in }
  ) async throws -> (Ledger, TemporaryDirectory) {
    let directory = try TemporaryDirectory()
    var configuration = CompactionSample.configuration()
    configure(&configuration)
    let ledger = try await Ledger.open(
      at: directory.path + "/ledger", as: .app, configuration: configuration)
    return (ledger, directory)
  }

  @Test func noCommandChangesTheThread() async throws {
    let (ledger, directory) = try await open()
    let threads = try await Task(executorPreference: ledger.taskExecutor) {
      var threads = [ThreadIdentity.current]
      let promise = try await ledger.createPromise(of: Int.self)
      threads.append(.current)
      try await promise.fulfill(7)
      threads.append(.current)
      #expect(try await promise.consume() == 7)
      threads.append(.current)
      return threads
    }.value
    #expect(Set(threads).count == 1)
    let others = await Task(executorPreference: ledger.taskExecutor) { ThreadIdentity.current }
      .value
    #expect(others == threads[0])
    await ledger.close()
    _ = directory
  }

  @Test func aTaskThatNeverEndsKeepsNobodyWaiting() async throws {
    let (ledger, directory) = try await open()
    let isDone = Atomic(false)
    let task = Task(executorPreference: ledger.taskExecutor) {
      while !isDone.load(ordering: .relaxed) { await Task.yield() }
    }
    let promise = try await ledger.createPromise(of: Int.self)
    try await promise.fulfill(1)
    #expect(try await promise.consume() == 1)
    isDone.store(true, ordering: .relaxed)
    await task.value
    await ledger.close()
    _ = directory
  }

  @Test func tasksRunWhileTheLedgerIsFrozenAndTheirCommandsWait() async throws {
    let (ledger, directory) = try await open { $0.waitsWhileFrozen = true }
    try await ledger.freeze()
    let isBegun = Atomic(false)
    let task = Task(executorPreference: ledger.taskExecutor) {
      isBegun.store(true, ordering: .relaxed)
      return try await ledger.createPromise(of: Int.self)
    }
    while !isBegun.load(ordering: .relaxed) { await Task.yield() }
    try await ledger.unfreeze()
    let promise = try await task.value
    try await promise.fulfill(3)
    await ledger.close()
    _ = directory
  }

  @Test func tasksGoOnAfterTheClose() async throws {
    let (ledger, directory) = try await open()
    let error = await Task(executorPreference: ledger.taskExecutor) {
      await ledger.close()
      return await #expect(throws: LedgerError.self) {
        _ = try await ledger.createPromise(of: Int.self)
      }
    }.value
    #expect(error?.code == .closed)
    #expect(await Task(executorPreference: ledger.taskExecutor) { 1 }.value == 1)
    _ = directory
  }
}
