import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct SharedWordsTests {
  @Test func twoMapsOfOneFileShareTheirWords() throws {
    try withMaps { first, second in
      first.store(7, to: 20)
      #expect(second.load(20) == 7)
      #expect(second.add(3, to: 20) == 7)
      #expect(first.exchange(1, at: 20) == 10)
      #expect(second.load(20) == 1)
    }
  }

  @Test func shortFileIsLengthenedAndKeepsItsContent() throws {
    try withDirectory { directory in
      let path = "\(directory)/wake"
      try FileSystem.writeAtomically([1, 0, 0, 0, 9], to: path)
      let words = try SharedWords(path: path)
      defer { words.close() }
      #expect(try FileSystem.fileSize(path) == 4096)
      #expect(words.load(0) == 1)
      #expect(words.load(1) == 9)
      #expect(words.load(1023) == 0)
    }
  }

  @Test func sleeperIsWokenThroughAnotherMap() throws {
    try withMaps { first, second in
      let result = Mutex<SharedWords.WaitResult?>(nil)
      let sleeper = try thread {
        let woken = first.wait(on: 20, while: 0, timeout: generous)
        result.withLock { $0 = woken }
      }
      // The sleeper may not sleep yet: ring until it has ended.
      while result.withLock({ $0 }) == nil { second.wakeAll(20) }
      sleeper.join()
      #expect(result.withLock { $0 } == .woken)
    }
  }

  @Test func noWakeUpIsLostBetweenTwoMaps() throws {
    try withMaps { first, second in
      let rounds: UInt32 = 2000
      let start = MonotonicClock.now
      let partner = try thread {
        for round in 1...rounds {
          while first.load(20) != round {
            _ = first.wait(on: 20, while: round - 1, timeout: generous)
          }
          first.store(round, to: 21)
          first.wakeAll(21)
        }
      }
      for round in 1...rounds {
        second.store(round, to: 20)
        second.wakeAll(20)
        while second.load(21) != round {
          _ = second.wait(on: 21, while: round - 1, timeout: generous)
        }
      }
      partner.join()
      #expect(MonotonicClock.now - start < generous)
    }
  }

  @Test func waitReturnsAtOnceIfTheWordDiffers() throws {
    try withMaps { words, _ in
      #expect(words.wait(on: 20, while: 1, timeout: generous) == .changed)
    }
  }

  @Test func waitEndsAfterItsTimeout() throws {
    try withMaps { words, _ in
      let start = MonotonicClock.now
      #expect(words.wait(on: 20, while: 0, timeout: .milliseconds(5)) == .timedOut)
      #expect(MonotonicClock.now - start >= .milliseconds(5))
    }
  }

  @Test func closeWakesSleepersOfThisProcess() throws {
    try withMaps { words, other in
      let result = Mutex<SharedWords.WaitResult?>(nil)
      let start = MonotonicClock.now
      let sleeper = try thread {
        Stage.enter(1, other)
        let woken = words.wait(on: 20, while: 0, timeout: generous)
        result.withLock { $0 = woken }
      }
      #expect(Stage.await(1, other))
      words.close()
      sleeper.join()
      #expect(result.withLock { $0 } == .closed)
      #expect(MonotonicClock.now - start < generous)
    }
  }

  @Test func closedWordsDoNothing() throws {
    try withMaps { words, other in
      other.store(5, to: 20)
      words.close()
      words.close()
      words.store(6, to: 20)
      words.wakeAll(20)
      #expect(words.load(20) == 0)
      #expect(words.add(1, to: 20) == 0)
      #expect(words.wait(on: 20, while: 0, timeout: generous) == .closed)
      #expect(words.isClosed)
      #expect(other.load(20) == 5)
    }
  }

  @Test func closingWhileOthersWorkTouchesNoUnmappedPage() throws {
    try withDirectory { directory in
      for _ in 0..<200 {
        let words = try SharedWords(path: "\(directory)/wake")
        let worker = try thread {
          while !words.isClosed {
            words.add(1, to: 20)
            words.wakeAll(21)
          }
        }
        words.close()
        worker.join()
      }
    }
  }

  @Test func missingDirectoryIsReportedWithItsPath() {
    let error = #expect(throws: SystemError.self) {
      _ = try SharedWords(path: "/nonexistent/wake")
    }
    #expect(error?.code == .notFound)
    #expect(error?.path == "/nonexistent/wake")
  }

  private func withMaps(_ body: (SharedWords, SharedWords) throws -> Void) throws {
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
