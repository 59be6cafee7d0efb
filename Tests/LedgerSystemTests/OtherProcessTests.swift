import LedgerSystem
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An exit test runs the work of a second process; stages in the shared words keep both in step.
@Suite(.timeLimit(.minutes(10))) struct OtherProcessTests {
  @Test func lockDropsWhenItsHolderIsKilled() async throws {
    try await withDirectoryWhileAwaiting { directory in
      async let child = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String] in
        let words = try SharedWords(path: "\(directory)/wake")
        let lock = try FileLock.open("\(directory)/lock")
        guard try lock.tryLock() else { return }
        waitToBeKilled(words)
        lock.close()
      }
      let isTaken = try await whileHeld(directory) { _ in
        try FileLock.open("\(directory)/lock").tryLock()
      }
      #expect(!isTaken)
      _ = await child
      #expect(try FileLock.open("\(directory)/lock").tryLock())
    }
  }

  @Test func gateNamesAnotherProcessAndOpensWhenItIsKilled() async throws {
    try await withDirectoryWhileAwaiting { directory in
      async let child = #expect(processExitsWith: .signal(SIGKILL)) {
        [directory = directory as String] in
        let words = try SharedWords(path: "\(directory)/wake")
        let gate = try WriterGate.open("\(directory)/gate", words: words)
        guard try passNow(gate) else { return }
        waitToBeKilled(words)
        gate.close()
      }
      let seen = try await whileHeld(directory) { words in
        let gate = try WriterGate.open("\(directory)/gate", words: words)
        defer { gate.close() }
        let holder = Int32(bitPattern: words.load(Stage.processID))
        let whileAlive = try gate.pass(within: .milliseconds(5))
        // Killed while we wait. No process wakes us, and still we do not wait for long.
        let start = MonotonicClock.now
        Stage.enter(2, words)
        let afterwards = try gate.pass(within: generous)
        let waited = MonotonicClock.now - start
        return (holder: holder, whileAlive: whileAlive, afterwards: afterwards, waited: waited)
      }
      #expect(seen.holder != ThisProcess.id)
      #expect(seen.whileAlive == .stalled(holderProcessID: seen.holder))
      #expect(seen.afterwards == .passed)
      #expect(seen.waited < generous / 2)
      _ = await child
    }
  }
}

/// Takes the gate in the child, whose body is async, where waiting is not offered.
private func passNow(_ gate: WriterGate) throws -> Bool {
  try gate.pass(within: .zero) == .passed
}

/// In the child: reports that it holds the lock or the gate, and dies when told to.
private func waitToBeKilled(_ words: SharedWords) {
  words.store(UInt32(bitPattern: ThisProcess.id), to: Stage.processID)
  Stage.enter(1, words)
  if Stage.await(2, words) { kill(getpid(), SIGKILL) }
}

/// The child did not come as far as holding anything.
private struct ChildNeverHeld: Error {}

/// In the parent: runs `body` while the child holds, then lets it die.
///
/// It runs on a separate thread, because waiting on one of Swift's few threads could keep the child
/// from starting. The observations are returned: an expectation on that thread would not know its
/// test.
private func whileHeld<Seen: Sendable>(
  _ directory: String, _ body: @escaping @Sendable (SharedWords) throws -> Seen
) async throws -> Seen {
  try await withCheckedThrowingContinuation { (done: CheckedContinuation<Seen, any Error>) in
    do {
      _ = try thread {
        done.resume(
          with: Result {
            let words = try SharedWords(path: "\(directory)/wake")
            defer {
              Stage.enter(2, words)
              words.close()
            }
            // The child starts once the hundreds of tests before it leave it a thread.
            guard Stage.await(1, words, within: generous * 10) else { throw ChildNeverHeld() }
            return try body(words)
          })
      }
    } catch {
      done.resume(throwing: error)
    }
  }
}
