package import LedgerModel

/// A ledger in memory under construction.
package final class InMemoryConstruction: LedgerConstruction {
  /// The ledger so far.
  package private(set) var ledger: InMemoryLedger

  package init(frameByteCount: Int = 4_032) {
    ledger = InMemoryLedger(frameByteCount: frameByteCount)
  }

  package var frameByteCount: Int { ledger.frameByteCount }

  package var source: any LedgerSource { ledger }

  package func append(
    _ frames: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError) {
    try ledger.append(frames, attachments: attachments)
  }

  package func put(_ entries: [TableChange]) throws(LedgerError) {
    ledger.put(entries)
  }
}
