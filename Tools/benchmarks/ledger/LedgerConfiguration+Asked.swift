import PromiseLedger

extension LedgerConfiguration {
  private static let isWithoutCompaction = CommandLine.arguments.contains("--without-compaction")

  /// The configuration that the arguments request: the default, or without automatic compaction.
  static let asked = isWithoutCompaction ? withoutCompaction : LedgerConfiguration()

  /// For measurements without a concurrent compaction.
  static let withoutCompaction: LedgerConfiguration = {
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    return configuration
  }()
}
