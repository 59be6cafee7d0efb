import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct DoorbellTests {
  @Test(arguments: [true, false])
  func everyRingReachesASleeperInAnotherMap(wakesOwn: Bool) throws {
    try withBells { ringer, sleeper in
      let rounds: UInt32 = 2000
      let seen = Atomic<UInt32>(0)
      let done = WakeSemaphore()
      let start = MonotonicClock.now
      let listener = try thread {
        var count: UInt32 = 0
        while count != rounds {
          guard sleeper.wait(since: count, timeout: generous) == .rang else { return }
          count = sleeper.ringCount
          seen.store(count, ordering: .releasing)
          done.signal()
        }
      }
      var isLost = false
      for round in 1...rounds where !isLost {
        ringer.ring(wakesOwn: wakesOwn)
        while seen.load(ordering: .acquiring) != round, !isLost {
          isLost = !done.wait(timeout: generous)
        }
      }
      listener.join()
      #expect(seen.load(ordering: .acquiring) == rounds)
      #expect(MonotonicClock.now - start < generous)
    }
  }

  /// A flag that is still raised after a ring says that no thread was woken.
  @Test func theOwnSleeperIsLeftAsleepOnlyWhileNoOtherSleeps() throws {
    try withWords { words, otherWords in
      let (own, other) = (Doorbell(words), Doorbell(otherWords))
      var flag: UInt32 { words.load(SharedWordLayout.someoneSleeps) }
      var isFlagRaised: Bool { flag != 0 }
      func sleep(_ bells: [Doorbell]) {
        var firstFlag: UInt32 = 0
        for bell in bells {
          // A thread that was held up until the time was over does not fall asleep, and raises no flag.
          for _ in 0..<1_000 {
            _ = bell.wait(since: bell.ringCount, timeout: .milliseconds(1))
            if flag != firstFlag { break }
          }
          if firstFlag == 0 { firstFlag = flag }
        }
      }
      sleep([own])
      own.ring(wakesOwn: false)
      #expect(isFlagRaised)
      own.ring()
      #expect(!isFlagRaised)
      sleep([own])
      other.ring(wakesOwn: false)
      #expect(!isFlagRaised)
      for sleepers in [[own, other], [other, own], [own, other, own]] {
        sleep(sleepers)
        own.ring(wakesOwn: false)
        #expect(!isFlagRaised)
      }
    }
  }

  @Test func aRingBeforeTheWaitIsNotMissed() throws {
    try withBells { ringer, sleeper in
      let count = sleeper.ringCount
      ringer.ring()
      #expect(sleeper.wait(since: count, timeout: generous) == .rang)
    }
  }

  @Test func withoutARingTheWaitEndsAfterItsTimeout() throws {
    try withBells { _, sleeper in
      #expect(sleeper.wait(since: sleeper.ringCount, timeout: .milliseconds(2)) == .timedOut)
    }
  }

  @Test func interruptEndsAWaitThatHasNotFallenAsleepYet() throws {
    try withBells { _, sleeper in
      let count = sleeper.ringCount
      sleeper.interrupt()
      #expect(sleeper.wait(since: count, timeout: generous) == .rang)
    }
  }

  @Test func interruptEndsAWaitUnderWay() throws {
    try withBells { _, sleeper in
      let start = MonotonicClock.now
      let count = sleeper.ringCount
      let listener = try thread { _ = sleeper.wait(since: count, timeout: generous) }
      sleeper.interrupt()
      listener.join()
      #expect(MonotonicClock.now - start < generous)
    }
  }

  @Test func closedBellDoesNotWait() throws {
    try withDirectory { directory in
      let words = try SharedWords(path: "\(directory)/wake")
      let bell = Doorbell(words)
      words.close()
      #expect(bell.wait(since: 0, timeout: generous) == .closed)
      bell.ring()
    }
  }

  @Test func garbageInTheFileIsHarmless() throws {
    try withDirectory { directory in
      let path = "\(directory)/wake"
      try FileSystem.writeAtomically([UInt8](repeating: 0xFF, count: 4096), to: path)
      let words = try SharedWords(path: path)
      defer { words.close() }
      let bell = Doorbell(words)
      let count = bell.ringCount
      #expect(count == .max)
      bell.ring()
      #expect(bell.wait(since: count, timeout: generous) == .rang)
      #expect(bell.wait(since: bell.ringCount, timeout: .milliseconds(2)) == .timedOut)
    }
  }

  private func withBells(_ body: (Doorbell, Doorbell) throws -> Void) throws {
    try withWords { first, second in try body(Doorbell(first), Doorbell(second)) }
  }

  private func withWords(_ body: (SharedWords, SharedWords) throws -> Void) throws {
    try withDirectory { directory in
      let first = try SharedWords(path: "\(directory)/wake")
      let second = try SharedWords(path: "\(directory)/wake")
      defer {
        first.close()
        second.close()
      }
      try body(first, second)
    }
  }
}
