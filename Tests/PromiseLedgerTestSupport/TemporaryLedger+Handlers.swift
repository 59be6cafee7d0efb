package import PromiseLedger
package import PromiseLedgerTesting

extension TemporaryLedger {
  /// Opens the ledger with kinds of handlers.
  package func open(
    as role: SessionRole = .app, policy: LedgerConfiguration.UnfinishedCallPolicy = .keep,
    register: (inout HandlerRegistry) throws -> Void
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.unfinishedCallPolicy = policy
    try register(&configuration.handlers)
    return try await open(as: role, configuration: configuration)
  }
}
