import Synchronization

/// Leaves out one expectation of a test, or one event of an expectation, as if its line were deleted.
///
/// A worked example must then fail. This proves it without a compiler.
package final class SkippedExpectation: Sendable {
  /// What is left out; each is counted from 0.
  package enum Part: Sendable, Hashable {
    case expectation(Int)
    /// Counted through all expectations of exact events.
    case event(Int)
  }

  @TaskLocal private static var current: SkippedExpectation?

  private let part: Part
  private let counts = Mutex((expectations: 0, events: 0))

  private var wasReached: Bool {
    counts.withLock { counts in
      switch part {
      case .expectation(let number): counts.expectations > number
      case .event(let number): counts.events > number
      }
    }
  }

  private init(_ part: Part) {
    self.part = part
  }

  /// Runs a test without a part of its expectations.
  ///
  /// - Returns: Whether there is such a part, and the error of the test.
  package static func run(
    without part: Part, _ test: () async throws -> Void
  ) async -> (wasReached: Bool, error: (any Error)?) {
    let skipped = SkippedExpectation(part)
    return await $current.withValue(skipped) {
      do {
        try await test()
        return (skipped.wasReached, nil)
      } catch {
        return (skipped.wasReached, error)
      }
    }
  }

  /// Counts an expectation.
  ///
  /// - Returns: Whether it is the one to leave out.
  static func takesPlace() -> Bool {
    guard let current else { return false }
    return current.counts.withLock { counts in
      counts.expectations += 1
      return current.part == .expectation(counts.expectations - 1)
    }
  }

  /// Counts the events of an expectation.
  ///
  /// - Returns: The events without the one to leave out.
  static func remaining(_ events: [ExpectedEvent]) -> [ExpectedEvent] {
    guard let current else { return events }
    let first = current.counts.withLock { counts in
      counts.events += events.count
      return counts.events - events.count
    }
    return events.enumerated().filter { current.part != .event(first + $0.offset) }
      .map(\.element)
  }
}
