import LedgerBytes

/// The stored form of an entity in the snapshot: pieces that each fit into a page.
package enum SnapshotRecord {
  /// A record joined from its pieces.
  package struct Stored: Sendable, Hashable {
    package let type: RecordType
    package let content: [UInt8]

    package init(type: RecordType, content: [UInt8]) {
      self.type = type
      self.content = content
    }
  }

  /// The size of the first piece's header, in bytes.
  static let headerByteCount = 8

  /// The size of the checksum at the start of every value in a snapshot's tables, in bytes.
  static let checksumByteCount = 4

  /// The size of the header of each further piece, in bytes.
  static let partHeaderByteCount = checksumByteCount

  /// The maximum content of the first piece, in bytes.
  static let firstContentByteCount = FrameHeader.maximumFrameByteCount - headerByteCount

  /// The maximum content of each further piece, in bytes.
  static let partContentByteCount = FrameHeader.maximumFrameByteCount - partHeaderByteCount

  /// Returns the number of pieces for content of the given size.
  package static func pieceCount(ofContent byteCount: Int) -> Int {
    guard byteCount > firstContentByteCount else { return 1 }
    let rest = byteCount - firstContentByteCount
    return 1 + (rest + partContentByteCount - 1) / partContentByteCount
  }

  /// Returns the key of the first piece, in the table of entities.
  package static func key(_ id: EntityID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(16)
    id.append(to: &key)
    return key
  }

  /// Returns the id for a key in the table of entities or of tombstones.
  ///
  /// - Throws: `corrupt` if the key is not an id.
  package static func id(ofKey key: [UInt8]) throws(LedgerError) -> EntityID {
    guard key.count == 16 else {
      throw LedgerError(
        .corrupt, "A key of the snapshot is damaged. Restore the ledger from a copy.")
    }
    return EntityID(loadedFrom: key.span, at: 0)
  }

  /// Returns the key of a further piece, in the table of parts; further pieces are numbered from 1.
  package static func partKey(_ id: EntityID, _ number: Int) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(18)
    id.append(to: &key)
    key.appendLittleEndian(UInt16(number).byteSwapped)
    return key
  }

  // MARK: Cutting

  /// Cuts content into pieces; the first piece includes the header.
  ///
  /// - Throws: `payloadTooLarge` if there would be more than 65,535 pieces.
  package static func pieces(
    _ id: EntityID, _ type: RecordType, _ content: [UInt8]
  ) throws(LedgerError) -> [[UInt8]] {
    let count = pieceCount(ofContent: content.count)
    guard let storedCount = UInt16(exactly: count) else {
      throw LedgerError(
        .payloadTooLarge,
        "The record of \(id) has \(content.count) bytes, which is too large to be stored.")
    }
    let firstEnd = min(content.count, firstContentByteCount)
    var first: [UInt8] = []
    first.reserveCapacity(headerByteCount + firstEnd)
    first.appendLittleEndian(UInt32(0))
    first.append(type.kind)
    first.append(type.layout)
    first.appendLittleEndian(storedCount)
    first.append(contentsOf: content.span.extracting(0..<firstEnd))
    first.storeLittleEndian(checksum(of: first.span, key: key(id)), at: 0)
    var pieces = [first]
    var start = firstEnd
    while start < content.count {
      let end = min(content.count, start + partContentByteCount)
      var part: [UInt8] = []
      part.reserveCapacity(partHeaderByteCount + end - start)
      part.appendLittleEndian(UInt32(0))
      part.append(contentsOf: content.span.extracting(start..<end))
      part.storeLittleEndian(checksum(of: part.span, key: partKey(id, pieces.count)), at: 0)
      pieces.append(part)
      start = end
    }
    return pieces
  }

  // MARK: Joining

  /// Returns as many records as may be in memory at a time, and at least one.
  ///
  /// - Parameter firsts: The first pieces of the records.
  package static func group<Firsts: RandomAccessCollection<(id: EntityID, piece: [UInt8])>>(
    _ firsts: Firsts, pieceLimit: Int
  ) -> Firsts.SubSequence {
    firsts.prefix(weighing: pieceLimit) { pieceCount(of: $0.id, first: $0.piece) }
  }

  /// Returns the number of pieces of a record, read from the first piece if it is intact.
  static func pieceCount(of id: EntityID, first: [UInt8]) -> Int {
    guard first.count == FrameHeader.maximumFrameByteCount, isSound(first, key: key(id)) else {
      return 1
    }
    return max(1, Int(first.span.loadLittleEndian(UInt16.self, at: 6)))
  }

  /// Checks the pieces of a record and joins their contents.
  ///
  /// - Parameter part: Returns a further piece by its number.
  /// - Throws: `corrupt` if a piece is damaged or missing, and any error that `part` throws.
  package static func join(
    _ id: EntityID, first: [UInt8], part: (Int) throws(LedgerError) -> [UInt8]?
  ) throws(LedgerError) -> Stored {
    guard first.count >= headerByteCount, first.count <= FrameHeader.maximumFrameByteCount else {
      throw damaged(id, "it has \(first.count) bytes")
    }
    guard first.span.loadLittleEndian(at: 0) == checksum(of: first.span, key: key(id)) else {
      throw damaged(id, "its checksum does not match")
    }
    let count = Int(first.span.loadLittleEndian(UInt16.self, at: 6))
    guard count >= 1, count == 1 || first.count == FrameHeader.maximumFrameByteCount else {
      throw damaged(id, "its header is invalid")
    }
    var content = Array(first[headerByteCount...])
    for number in 1..<count {
      guard let piece = try part(number) else { throw damaged(id, "piece \(number) is missing") }
      let isLast = number == count - 1
      guard piece.count > partHeaderByteCount,
        isLast && piece.count <= FrameHeader.maximumFrameByteCount
          || piece.count == FrameHeader.maximumFrameByteCount,
        piece.span.loadLittleEndian(at: 0)
          == checksum(of: piece.span, key: partKey(id, number))
      else { throw damaged(id, "piece \(number) is damaged") }
      content.append(contentsOf: piece[partHeaderByteCount...])
    }
    return Stored(type: RecordType(kind: first[4], layout: first[5]), content: content)
  }

  private static func checksum(of piece: borrowing Span<UInt8>, key: [UInt8]) -> UInt32 {
    CRC32C.checksum(
      piece.extracting(4..<piece.count), continuing: CRC32C.checksum(key.span, continuing: 0))
  }

  package static func lost(_ id: EntityID) -> LedgerError { damaged(id, "it is missing") }

  /// Whether the checksum at the start of a value matches, in any table of a snapshot.
  package static func isSound(_ value: [UInt8], key: [UInt8]) -> Bool {
    value.count >= checksumByteCount
      && value.span.loadLittleEndian(at: 0) == checksum(of: value.span, key: key)
  }

  /// Returns a value preceded by its checksum.
  static func sealing(_ value: [UInt8], key: [UInt8]) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(checksumByteCount + value.count)
    sealed.appendLittleEndian(UInt32(0))
    sealed += value
    sealed.storeLittleEndian(checksum(of: sealed.span, key: key), at: 0)
    return sealed
  }

  // MARK: Tombstones

  /// Returns the value stored under the key of a tombstone.
  package static func tombstone(_ id: EntityID) -> [UInt8] { sealing([], key: key(id)) }

  /// - Throws: `corrupt` if a tombstone differs from the value that was written.
  package static func checkTombstone(_ value: [UInt8], of id: EntityID) throws(LedgerError) {
    guard value == tombstone(id) else {
      throw LedgerError(
        .corrupt,
        "The tombstone of \(id) is damaged: its checksum does not match. Restore the ledger from a copy."
      )
    }
  }

  package static func damaged(_ id: EntityID, _ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The snapshot record of \(id) is damaged: \(what). Restore the ledger from a copy.")
  }
}
