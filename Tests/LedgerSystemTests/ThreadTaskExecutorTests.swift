import LedgerSystem
import Synchronization
import Testing

struct ThreadTaskExecutorTests {
  @Test func tasksRunOneAfterTheOtherAndAllOfThem() async {
    let executor = ThreadTaskExecutor(name: "test")
    let running = Atomic(0)
    let most = Mutex(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask(executorPreference: executor) {
          for _ in 0..<20 {
            let now = running.add(1, ordering: .relaxed).newValue
            most.withLock { $0 = max($0, now) }
            running.subtract(1, ordering: .relaxed)
            await Task.yield()
          }
        }
      }
    }
    #expect(most.withLock { $0 } == 1)
  }

  @Test func itGoesOnAfterItsThreadEnded() async {
    let executor = ThreadTaskExecutor(name: "test")
    for number in 0..<20 {
      let result = await Task(executorPreference: executor) { number }.value
      #expect(result == number)
    }
  }
}
