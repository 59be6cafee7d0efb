import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct ThreadTests {
  @Test func joinWaitsForTheBody() throws {
    let value = Mutex(0)
    let worker = try SystemThread.start(name: "a name that is longer than fifteen bytes") {
      value.withLock { $0 = 1 }
    }
    worker.join()
    worker.join()
    #expect(value.withLock { $0 } == 1)
    #expect(!worker.isCurrent)
  }

  @Test func tooSmallAStackIsAnError() {
    let error = #expect(throws: SystemError.self) {
      _ = try SystemThread.start(name: "small", stackSizeInBytes: 1) {}
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func aConfinedValueStaysOnItsThread() throws {
    let confined = ThreadConfined(7)
    #expect(confined.value == 7)
    let seen = Mutex<Int?>(0)
    let other = try SystemThread.start(name: "other") {
      seen.withLock { $0 = confined.value }
    }
    other.join()
    #expect(seen.withLock { $0 } == nil)
  }

  @Test func signalsBeforeAWaitLetOneWaitThrough() {
    let semaphore = WakeSemaphore()
    semaphore.signal()
    semaphore.signal()
    #expect(semaphore.wait(timeout: .zero))
    #expect(!semaphore.wait(timeout: .zero))
  }

  @Test func waitEndsAfterItsTimeout() {
    let semaphore = WakeSemaphore()
    let start = MonotonicClock.now
    #expect(!semaphore.wait(timeout: .milliseconds(5)))
    #expect(MonotonicClock.now - start >= .milliseconds(5))
  }

  @Test func noWakeUpIsLost() throws {
    let (ping, pong) = (WakeSemaphore(), WakeSemaphore())
    let rounds = 5000
    let received = Atomic<Int>(0)
    let partner = try thread {
      for _ in 0..<rounds {
        guard ping.wait(timeout: generous) else { return }
        received.wrappingAdd(1, ordering: .relaxed)
        pong.signal()
      }
    }
    let start = MonotonicClock.now
    for _ in 0..<rounds {
      ping.signal()
      guard pong.wait(timeout: generous) else { break }
    }
    partner.join()
    #expect(received.load(ordering: .relaxed) == rounds)
    #expect(MonotonicClock.now - start < generous)
  }

  @Test func everyOneOfManyWaitersGetsItsSignal() throws {
    let semaphore = WakeSemaphore()
    let left = Atomic<Int>(4)
    let waiters = try (0..<4).map { _ in
      try thread {
        if semaphore.wait(timeout: generous) { left.wrappingSubtract(1, ordering: .relaxed) }
      }
    }
    let deadline = MonotonicClock.now + generous
    while left.load(ordering: .relaxed) > 0, MonotonicClock.now < deadline { semaphore.signal() }
    for waiter in waiters { waiter.join() }
    #expect(left.load(ordering: .relaxed) == 0)
  }
}
