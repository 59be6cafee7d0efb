import LedgerLocks
import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostedTaskExecutorTests {
  private let wakeUp: WakeSemaphore
  private let executor: HostedTaskExecutor

  init() {
    let wakeUp = WakeSemaphore()
    self.wakeUp = wakeUp
    executor = HostedTaskExecutor(name: "test") { wakeUp.signal() }
  }

  @Test func tasksRunOnTheThreadOfTheHost() async throws {
    let executor = executor
    let task = Task(executorPreference: executor) {
      let first = ThreadIdentity.current
      await Task.yield()
      return [first, ThreadIdentity.current]
    }
    let host = try host()
    #expect(await task.value == [await host.value, await host.value])
  }

  /// A task that never ends takes one turn at a time.
  @Test func whatBecomesReadyMeanwhileWaitsForTheNextCall() async throws {
    let executor = executor
    let turns = Atomic(0)
    let isDone = Atomic(false)
    let task = Task(executorPreference: executor) {
      while !isDone.load(ordering: .relaxed) {
        turns.add(1, ordering: .relaxed)
        await Task.yield()
      }
    }
    while !executor.isReady { await Task.yield() }
    for call in 1...5 {
      executor.runReady()
      #expect((1...call).contains(turns.load(ordering: .relaxed)))
      #expect(executor.isReady)
    }
    isDone.store(true, ordering: .relaxed)
    executor.leave()
    await task.value
  }

  @Test func tasksGoOnAfterTheHostHasLeft() async {
    let executor = executor
    let task = Task(executorPreference: executor) {
      await Task.yield()
      return 1
    }
    while !executor.isReady { await Task.yield() }
    executor.leave()
    #expect(await task.value == 1)
    #expect(await Task(executorPreference: executor) { 2 }.value == 2)
    #expect(!executor.isReady)
  }

  /// Starts a thread that runs the tasks until there are none for a second, and returns its identity.
  private func host() throws -> Task<ThreadIdentity, Never> {
    let identity = Mutex<ThreadIdentity?>(nil)
    let thread = try SystemThread.start(name: "host") { [wakeUp, executor] in
      identity.withLock { $0 = .current }
      while wakeUp.wait(timeout: .seconds(1)) { executor.runReady() }
      executor.leave()
    }
    return Task {
      while true {
        if let identity = identity.withLock({ $0 }) { return identity }
        await Task.yield()
        _ = thread
      }
    }
  }
}
