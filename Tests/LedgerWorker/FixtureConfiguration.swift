import PromiseLedger
import PromiseLedgerTesting

extension LedgerConfiguration {
  /// The configuration by which a fixture is made: with the same ids and times each time.
  static func ofFixture(
    _ clock: ManualLedgerClock, _ ids: SequentialIDGenerator
  ) -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.idGenerator = ids
    configuration.automaticCompaction = nil
    return configuration
  }
}
