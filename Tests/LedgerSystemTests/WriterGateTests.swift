import LedgerSystem
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct WriterGateTests {
  @Test func onlyOneIsInside() throws {
    try withGates { first, second throws in
      #expect(try first.pass(within: .zero) == .passed)
      #expect(try second.pass(within: .zero) != .passed)
      first.leave()
      #expect(try second.pass(within: .zero) == .passed)
    }
  }

  @Test func deadlineNamesTheHolder() throws {
    try withGates { first, second throws in
      #expect(try first.pass(within: .zero) == .passed)
      let start = MonotonicClock.now
      let outcome = try second.pass(within: .milliseconds(20))
      #expect(outcome == .stalled(holderProcessID: ThisProcess.id))
      #expect(MonotonicClock.now - start >= .milliseconds(20))
    }
  }

  @Test func noHolderIsNamedAfterItLeft() throws {
    try withGates { first, second throws in
      #expect(try first.pass(within: .zero) == .passed)
      #expect(second.holderProcessID == ThisProcess.id)
      first.leave()
      #expect(second.holderProcessID == nil)
    }
  }

  @Test func countersAreExactUnderContention() throws {
    try withDirectory { directory in
      // Guarded by the gate alone: reading and writing are two steps.
      let total = Atomic<Int>(0)
      let threads = try (0..<4).map { _ in
        let words = try SharedWords(path: "\(directory)/wake")
        let gate = try WriterGate.open("\(directory)/gate", words: words)
        return try thread {
          for _ in 0..<250 {
            guard (try? gate.pass(within: generous)) == .passed else { return }
            total.store(total.load(ordering: .relaxed) + 1, ordering: .relaxed)
            gate.leave()
          }
          gate.close()
          words.close()
        }
      }
      for thread in threads { thread.join() }
      #expect(total.load(ordering: .relaxed) == 1000)
    }
  }

  @Test func busyWriterHandsOverToAWaiter() throws {
    try withGates { busy, waiter throws in
      let isDone = Atomic<Bool>(false)
      let rounds = Atomic<Int>(0)
      let writer = try thread {
        while !isDone.load(ordering: .acquiring) {
          guard (try? busy.pass(within: generous)) == .passed else { return }
          // Busy inside, as a commit is: a waiter finds the gate held nearly all the time.
          let until = MonotonicClock.now + .microseconds(200)
          while MonotonicClock.now < until {}
          rounds.wrappingAdd(1, ordering: .relaxed)
          busy.leave()
        }
      }
      let breath = WakeSemaphore()
      var waited: [Int] = []
      for _ in 0..<50 {
        // Wants the gate now and then: a waiter that comes back at once meets a writer that waits.
        let comesAt = rounds.load(ordering: .relaxed) + 3
        while rounds.load(ordering: .relaxed) < comesAt {
          _ = breath.wait(timeout: .milliseconds(1))
        }
        let before = rounds.load(ordering: .relaxed)
        #expect(try waiter.pass(within: generous) == .passed)
        waited.append(rounds.load(ordering: .relaxed) - before)
        waiter.leave()
      }
      isDone.store(true, ordering: .releasing)
      writer.join()
      // A waiter gets in after a few rounds; one that can only try every 10 ms needs dozens.
      waited.sort()
      #expect(waited[waited.count / 2] <= 4, "rounds waited: \(waited)")
    }
  }

  @Test func afterHandingOverAWriterStaysAwayUntilAnotherPassedOrAMomentWentBy() throws {
    try withDirectory { directory in
      let words = try SharedWords(path: "\(directory)/wake")
      defer { words.close() }
      let gate = try WriterGate.open("\(directory)/gate", words: words)
      #expect(try gate.pass(within: .zero) == .passed)
      // Left behind by a waiter that was killed.
      words.store(1, to: SharedWordLayout.writersWait)
      gate.leave()
      let start = MonotonicClock.now
      #expect(try gate.pass(within: generous) == .passed)
      let away = MonotonicClock.now - start
      #expect(away >= .milliseconds(4))
      #expect(away < generous / 2)
    }
  }

  @Test func aWriterThatWaitedAloneDoesNotHandOver() throws {
    try withDirectory { directory in
      let words = try SharedWords(path: "\(directory)/wake")
      defer { words.close() }
      let gate = try WriterGate.open("\(directory)/gate", words: words)
      for _ in 0..<20 {
        #expect(try gate.pass(within: .zero) == .passed)
        let waiter = try thread {
          #expect((try? gate.pass(within: generous)) == .passed)
        }
        while words.load(SharedWordLayout.writersWait) == 0 {}
        gate.leave()
        waiter.join()
        // He would stay away the next time, and wait for a waiter that there is not.
        #expect(words.load(SharedWordLayout.writersWait) == 0)
        gate.leave()
      }
    }
  }

  @Test func interruptEndsAWait() throws {
    try withGates { holder, waiter throws in
      #expect(try holder.pass(within: .zero) == .passed)
      let outcome = Mutex<WriterGate.Outcome?>(nil)
      let isWaiting = WakeSemaphore()
      let start = MonotonicClock.now
      let thread = try thread {
        let result = try? waiter.pass(within: generous) {
          isWaiting.signal()
          return false
        }
        outcome.withLock { $0 = result }
      }
      #expect(isWaiting.wait(timeout: generous))
      waiter.interrupt()
      thread.join()
      #expect(outcome.withLock { $0 } == .interrupted)
      #expect(MonotonicClock.now - start < generous)
    }
  }

  @Test func interruptDoesNotAffectALaterPass() throws {
    try withGates { gate, _ throws in
      gate.interrupt()
      #expect(try gate.pass(within: .zero) == .passed)
    }
  }

  @Test func cancelledCallerDoesNotPass() throws {
    try withGates { gate, other throws in
      #expect(try gate.pass(within: generous) { true } == .interrupted)
      #expect(try other.pass(within: .zero) == .passed)
    }
  }

  @Test func closedGateLetsNoWriterPass() throws {
    try withGates { gate, other throws in
      #expect(try gate.pass(within: .zero) == .passed)
      gate.close()
      gate.leave()
      let error = #expect(throws: SystemError.self) { _ = try gate.pass(within: .zero) }
      #expect(error?.code == .closed)
      #expect(try other.pass(within: .zero) == .passed)
    }
  }

  @Test func garbageInTheWordsIsHarmless() throws {
    try withDirectory { directory in
      try FileSystem.writeAtomically(
        [UInt8](repeating: 0xFF, count: 4096), to: "\(directory)/wake")
      let words = try SharedWords(path: "\(directory)/wake")
      defer { words.close() }
      let gate = try WriterGate.open("\(directory)/gate", words: words)
      #expect(gate.holderProcessID == nil)
      #expect(try gate.pass(within: .zero) == .passed)
      gate.leave()
      #expect(try gate.pass(within: .zero) == .passed)
    }
  }

  private func withGates(_ body: (WriterGate, WriterGate) throws -> Void) throws {
    try withDirectory { directory in
      let firstWords = try SharedWords(path: "\(directory)/wake")
      let secondWords = try SharedWords(path: "\(directory)/wake")
      let first = try WriterGate.open("\(directory)/gate", words: firstWords)
      let second = try WriterGate.open("\(directory)/gate", words: secondWords)
      defer {
        first.close()
        second.close()
        firstWords.close()
        secondWords.close()
      }
      try body(first, second)
    }
  }
}
