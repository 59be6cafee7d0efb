import LedgerSystem

/// Runs `body` with a new directory, and removes it.
func withDirectory<R>(_ body: (String) throws -> R) throws -> R {
  let path = try makeDirectory()
  defer { try? FileSystem.removeTree(path) }
  return try body(path)
}

/// The same around awaiting, for tests that run a second process.
func withDirectoryWhileAwaiting<R>(_ body: (String) async throws -> R) async throws -> R {
  let path = try makeDirectory()
  defer { try? FileSystem.removeTree(path) }
  return try await body(path)
}

private func makeDirectory() throws -> String {
  try FileSystem.createUniqueDirectory(beside: "/tmp/LedgerSystemTests")
}

/// SplitMix64: the same numbers for the same seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Starts a thread of the test.
func thread(_ body: @escaping @Sendable () -> Void) throws -> SystemThread {
  try SystemThread.start(name: "test", body)
}

/// Far longer than anything here takes: a test that needs it has failed.
let generous = Duration.seconds(30)

/// The words that tests use to tell each other, in this process or another, how far they are.
enum Stage {
  static let word = SharedWordLayout.firstFree
  static let processID = SharedWordLayout.firstFree + 1

  /// Moves to a stage and wakes who waits for it.
  static func enter(_ stage: UInt32, _ words: SharedWords) {
    words.store(stage, to: word)
    words.wakeAll(word)
  }

  /// Waits for a stage; false after a generous time.
  static func await(_ stage: UInt32, _ words: SharedWords) -> Bool {
    let deadline = MonotonicClock.now + generous
    while MonotonicClock.now < deadline {
      let now = words.load(word)
      if now == stage { return true }
      _ = words.wait(on: word, while: now, timeout: .seconds(1))
    }
    return false
  }
}
