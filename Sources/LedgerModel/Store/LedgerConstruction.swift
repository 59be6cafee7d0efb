/// A new ledger that a store makes, which no process can see yet.
package protocol LedgerConstruction {
  /// The size in bytes up to which frames are filled.
  var frameByteCount: Int { get }

  /// What was written so far.
  var source: any LedgerSource { get }

  /// Adds frames, and what stands beside their events, in the order of positions.
  func append(
    _ frames: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError)

  /// Puts entries into the tables; attachments whole.
  func put(_ entries: [TableChange]) throws(LedgerError)
}
