import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ThreadTaskExecutorTests {
  private final class Counter: Sendable {
    let running = Atomic(0)
    let most = Mutex(0)

    func run() {
      let now = running.add(1, ordering: .relaxed).newValue
      most.withLock { $0 = max($0, now) }
      running.subtract(1, ordering: .relaxed)
    }
  }

  @Test func tasksRunOneAfterTheOtherAndAllOfThem() async {
    let executor = ThreadTaskExecutor(name: "test")
    let counter = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask(executorPreference: executor) {
          for _ in 0..<20 {
            counter.run()
            await Task.yield()
          }
        }
      }
    }
    #expect(counter.most.withLock { $0 } == 1)
  }

  @Test func itGoesOnAfterItsThreadEnded() async {
    let executor = ThreadTaskExecutor(name: "test")
    for number in 0..<20 {
      let result = await Task(executorPreference: executor) { number }.value
      #expect(result == number)
    }
  }
}
