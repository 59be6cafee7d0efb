import LedgerBytes

/// The record `ledger` of the table `meta`; see the article *File format*.
package struct LedgerMetadata: Sendable, Hashable {
  package static let byteCount = 48
  package static let key = Array("ledger".utf8)

  /// The format that this build writes, and the newest format that it reads.
  package static let formatVersion: UInt32 = 1
  /// The first format that stays readable: its predecessor changed from build to build.
  private static let oldestFormatVersion: UInt32 = 1

  package var formatVersion: UInt32
  package var ledgerID: LedgerID
  package var createdAt: Timestamp
  /// The generation in the name of the directory that contains the data file.
  package var generation: UInt64
  package var isSealed: Bool

  package init(ledgerID: LedgerID, createdAt: Timestamp) {
    formatVersion = Self.formatVersion
    self.ledgerID = ledgerID
    self.createdAt = createdAt
    generation = 1
    isSealed = false
  }

  /// Reads the record.
  ///
  /// - Throws: `incompatibleFormat` if a newer version wrote the record, or a version before version 1;
  ///   `corrupt` if it is damaged.
  package init(decoding bytes: Span<UInt8>) throws(LedgerError) {
    // A newer format may have a longer record; its version is at the same offset.
    guard bytes.count >= Self.byteCount,
      bytes.loadLittleEndian(at: 0) == CRC32C.checksum(bytes.extracting(4..<bytes.count))
    else {
      throw LedgerError(
        .corrupt, "The ledger's metadata is damaged. Restore the ledger from a copy.")
    }
    formatVersion = bytes.loadLittleEndian(at: 4)
    guard formatVersion <= Self.formatVersion else {
      throw LedgerError(
        .incompatibleFormat,
        "The ledger has format version \(formatVersion); this build reads up to \(Self.formatVersion). Update the library."
      )
    }
    guard formatVersion >= Self.oldestFormatVersion else {
      throw LedgerError(
        .incompatibleFormat,
        "The ledger has format version \(formatVersion), which is no longer supported. Export it with the build that wrote it, and import the archive."
      )
    }
    ledgerID = LedgerID(entityID: EntityID(loadedFrom: bytes, at: 8))
    createdAt = Timestamp(nanosecondsSinceEpoch: bytes.loadLittleEndian(at: 24))
    generation = bytes.loadLittleEndian(at: 32)
    isSealed = bytes.loadLittleEndian(UInt32.self, at: 40) & 1 != 0
  }

  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(formatVersion)
    ledgerID.entityID.append(to: &bytes)
    bytes.appendLittleEndian(createdAt.nanosecondsSinceEpoch)
    bytes.appendLittleEndian(generation)
    bytes.appendLittleEndian(UInt32(isSealed ? 1 : 0))
    bytes.appendLittleEndian(UInt32(0))
    bytes.storeLittleEndian(
      CRC32C.checksum(bytes.span.extracting(4..<bytes.count)), at: 0)
    return bytes
  }
}
