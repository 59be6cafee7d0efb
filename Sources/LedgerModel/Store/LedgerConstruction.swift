/// A new ledger under construction in a store, not yet visible to any process.
package protocol LedgerConstruction {
  /// The size in bytes up to which frames are filled.
  var frameByteCount: Int { get }

  /// The data written so far.
  var source: any LedgerSource { get }

  /// Adds frames, and the values beside their events, in the order of positions.
  func append(
    _ frames: [(key: UInt64, bytes: [UInt8])],
    attachments: [(position: Position, bytes: [UInt8])]
  ) throws(LedgerError)

  /// Stores entries in the tables; attachments whole.
  func put(_ entries: [TableChange]) throws(LedgerError)
}
