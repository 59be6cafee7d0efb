import LedgerPromises
import PromiseLedgerTesting

/// Clocks for rows of tables.
enum TestClock {
  /// Time never passes.
  static let still = ManualClock()
}
