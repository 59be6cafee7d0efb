public import LedgerRuntime
import Synchronization

/// A generator of sequential ids, so that two runs of a test make the same ids.
///
/// Two generators with different seeds make different ids: give each process of a test its own.
public final class SequentialIDGenerator: LedgerIDGenerator {
  private let seed: UInt16
  private let count = Mutex<UInt64>(0)

  /// Makes a generator.
  ///
  /// - Parameter seed: A number that distinguishes its ids from another generator's.
  public init(seed: UInt16 = 0) {
    self.seed = seed
  }

  /// The next id: a version 7 UUID made from the time, the seed and a count from 1.
  public func makeID(at time: Timestamp) -> EntityID {
    let next = count.withLock { count in
      count += 1
      return count
    }
    return EntityID(
      milliseconds: UInt64(max(0, time.nanosecondsSinceEpoch)) / 1_000_000,
      random: (UInt64(seed >> 4), UInt64(seed & 0xF) << 56 | next))
  }
}
