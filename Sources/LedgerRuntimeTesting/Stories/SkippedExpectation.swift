import Synchronization

/// Leaves out one expectation of a test, as if its line were deleted.
///
/// A worked example must then fail. This proves it without a compiler.
package final class SkippedExpectation: Sendable {
  @TaskLocal private static var current: SkippedExpectation?

  private let number: Int
  private let count = Mutex(0)

  /// Whether there was an expectation to leave out.
  package var wasReached: Bool { count.withLock { $0 > number } }

  private init(_ number: Int) {
    self.number = number
  }

  /// Runs a test without one of its expectations.
  ///
  /// - Parameter number: The number of the expectation, from 0.
  /// - Returns: Whether there is such an expectation, and the error of the test.
  package static func run(
    without number: Int, _ test: () async throws -> Void
  ) async -> (wasReached: Bool, error: (any Error)?) {
    let skipped = SkippedExpectation(number)
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
    return current.count.withLock { count in
      count += 1
      return count - 1 == current.number
    }
  }
}
