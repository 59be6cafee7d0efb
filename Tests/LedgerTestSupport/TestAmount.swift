import Foundation

/// The amount of work in tests that could continue without end: seeds, kills, damaged files.
package enum TestAmount {
  /// The value of the environment variable `LEDGER_TEST_FACTOR`, a whole number from 1; 1 without
  /// it.
  package static let factor = max(1, number("LEDGER_TEST_FACTOR") ?? 1)

  /// An amount that takes a few seconds, or many times as much in a long run.
  package static func of(_ amount: Int) -> Int { amount * factor }

  /// The seeds of a random history: an amount of them, or the value of the environment variable `LEDGER_TEST_SEEDS` if
  /// that is more.
  package static func seeds(_ amount: Int, from first: UInt64 = 1) -> Range<UInt64> {
    seed(first)..<seed(first) + UInt64(max(of(amount), number("LEDGER_TEST_SEEDS") ?? 0))
  }

  /// A seed, to which the value of the environment variable `LEDGER_TEST_SEED` is added: another run then tries
  /// something else.
  package static func seed(_ seed: UInt64) -> UInt64 {
    seed + UInt64(max(0, number("LEDGER_TEST_SEED") ?? 0))
  }

  private static func number(_ variable: String) -> Int? {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init)
  }
}
