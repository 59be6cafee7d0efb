package import LedgerModel

/// A read-only view of a ledger in memory.
package struct InMemoryInspection: InspectedStore, ForwardingSource {
  package let ledger: InMemoryLedger
  package let metadata: LedgerMetadata

  package init(_ ledger: InMemoryLedger, _ metadata: LedgerMetadata) {
    (self.ledger, self.metadata) = (ledger, metadata)
  }

  package var sessions: any SessionRegistry { UnwatchedSessions() }

  package func checkStructure(while goesOn: () -> Bool) throws(LedgerError) -> LedgerError? { nil }

  package func withPinnedView<R>(_ body: (any LedgerSource) throws -> R) throws -> R {
    try body(ledger)
  }

  package func withSource<R>(
    _ body: (any LedgerSource) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try body(ledger)
  }

  package func close() {}
}
