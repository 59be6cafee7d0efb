import Foundation

/// How much the tests do that could go on for ever: seeds, kills, damaged files.
package enum TestAmount {
  /// What the environment variable `LEDGER_TEST_FACTOR` says, a whole number from 1; 1 without it.
  package static let factor = max(
    1, ProcessInfo.processInfo.environment["LEDGER_TEST_FACTOR"].flatMap(Int.init) ?? 1)

  /// An amount that takes a few seconds, or many times as much in a long run.
  package static func of(_ amount: Int) -> Int { amount * factor }
}
