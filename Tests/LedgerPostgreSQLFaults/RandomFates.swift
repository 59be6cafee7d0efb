import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import Synchronization

/// Random fates of round trips.
final class RandomFates: Sendable {
  private let generator: Mutex<SeededGenerator>
  private let interval: Int

  private static let losses = ServerProxy.Fate.allCases.filter { $0 != .passes }

  /// - Parameter interval: One in so many round trips is lost.
  init(seed: UInt64, interval: Int) {
    generator = Mutex(SeededGenerator(seed: seed))
    self.interval = interval
  }

  func next() -> ServerProxy.Fate {
    generator.withLock { generator in
      guard Int.random(in: 0..<interval, using: &generator) == 0 else { return .passes }
      return Self.losses.randomElement(using: &generator) ?? .isLost
    }
  }

  /// Whether what is late arrives before this round trip.
  func releases() -> Bool {
    generator.withLock { Int.random(in: 0..<10, using: &$0) == 0 }
  }
}
