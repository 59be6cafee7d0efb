import LedgerSystem
import Synchronization

/// Keeps setting the words of a ledger's doorbell back to what they were, so that every ring is lost.
final class WordWiper: Sendable {
  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  private let stopped = Flag()

  init(wakeFile: String) throws {
    let words = try SharedWords(path: wakeFile)
    // How often the doorbell rang, and whether somebody sleeps on it.
    let (ringCount, someoneSleeps) = (0, 1)
    let before = words.load(ringCount)
    _ = try SystemThread.start(name: "wiper") { [stopped] in
      while !stopped.isSet.load(ordering: .relaxed) {
        words.store(0, to: someoneSleeps)
        words.store(before, to: ringCount)
      }
      words.close()
    }
  }

  deinit { stop() }

  func stop() { stopped.isSet.store(true, ordering: .relaxed) }
}
