import LedgerSystem
import Synchronization

/// Keeps resetting the words of a ledger's doorbell to their old values, so that every ring is
/// lost.
final class WordWiper: Sendable {
  private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }

  private let stopped = Flag()

  init(wakeFile: String) throws {
    let words = try SharedWords(path: wakeFile)
    // The number of rings of the doorbell, and whether a thread sleeps on it.
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
