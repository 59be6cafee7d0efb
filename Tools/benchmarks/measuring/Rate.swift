import Foundation
import LedgerSystem

/// How often tasks did something, and what it cost.
package struct Rate: Sendable {
  package let perSecond: Double
  /// The time of all processors that the process took for each, in microseconds.
  package let cost: Double

  package static func measure(
    tasks: Int, for duration: Duration, _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> Rate {
    let (start, processorStart) = (MonotonicClock.now, processorTime)
    let end = start + duration
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask {
          var count = 0
          while MonotonicClock.now < end {
            try await body()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let seconds = (MonotonicClock.now - start).inMicroseconds / 1e6
    return Rate(
      perSecond: Double(count) / seconds, cost: (processorTime - processorStart) / Double(count))
  }

  /// The time, in microseconds, for which processors worked for this process, in user code and in the system.
  private static var processorTime: Double { Double(clock()) }
}
