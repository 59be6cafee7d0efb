import LedgerSystem
import PromiseLedgerTesting

/// Runs `body` with a new directory, and removes it.
func withDirectory<R>(_ body: (String) throws -> R) throws -> R {
  let directory = try TemporaryDirectory()
  defer { withExtendedLifetime(directory) {} }
  return try body(directory.path)
}

/// The same around awaiting, for tests that run a second process.
func withDirectoryWhileAwaiting<R>(_ body: (String) async throws -> R) async throws -> R {
  let directory = try TemporaryDirectory()
  defer { withExtendedLifetime(directory) {} }
  return try await body(directory.path)
}

/// Starts a thread of the test.
func thread(_ body: @escaping @Sendable () -> Void) throws -> SystemThread {
  try SystemThread.start(name: "test", body)
}

/// Far longer than anything here takes: a test that needs it has failed.
let generous = Duration.seconds(30)

/// The words in which tests report their progress to each other, in this process or another.
enum Stage {
  static let word = SharedWordLayout.firstFree
  static let processID = SharedWordLayout.firstFree + 1

  /// Moves to a stage and wakes the tests that wait for it.
  static func enter(_ stage: UInt32, _ words: SharedWords) {
    words.store(stage, to: word)
    words.wakeAll(word)
  }

  /// Waits for a stage; false after a generous time.
  static func await(
    _ stage: UInt32, _ words: SharedWords, within timeout: Duration = generous
  ) -> Bool {
    let deadline = MonotonicClock.now + timeout
    while MonotonicClock.now < deadline {
      let now = words.load(word)
      if now == stage { return true }
      _ = words.wait(on: word, while: now, timeout: .seconds(1))
    }
    return false
  }
}
