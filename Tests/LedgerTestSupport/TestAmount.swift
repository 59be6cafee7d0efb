import Foundation

/// The amount of work in tests that could continue without end: seeds, kills, damaged files.
package enum TestAmount {
  /// The value of the environment variable `LEDGER_TEST_FACTOR`, a whole number from 1; 1 without
  /// it.
  package static let factor = max(
    1, ProcessInfo.processInfo.environment["LEDGER_TEST_FACTOR"].flatMap(Int.init) ?? 1)

  /// An amount that takes a few seconds, or many times as much in a long run.
  package static func of(_ amount: Int) -> Int { amount * factor }
}
