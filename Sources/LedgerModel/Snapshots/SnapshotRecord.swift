import LedgerBytes

/// The stored form of an entity in the snapshot: pieces, each of which fits into a page.
package enum SnapshotRecord {
  /// A record, joined of its pieces.
  package struct Stored: Sendable, Hashable {
    package let type: RecordType
    package let content: [UInt8]

    package init(type: RecordType, content: [UInt8]) {
      self.type = type
      self.content = content
    }
  }

  /// Of the first piece, in bytes.
  static let headerByteCount = 8

  /// Of the checksum that every value in the tables of a snapshot begins with, in bytes.
  static let checksumByteCount = 4

  /// Of every further piece, in bytes.
  static let partHeaderByteCount = checksumByteCount

  /// The content of the first piece, at most.
  static let firstContentByteCount = FrameHeader.maximumFrameByteCount - headerByteCount

  /// The content of a further piece, at most.
  static let partContentByteCount = FrameHeader.maximumFrameByteCount - partHeaderByteCount

  /// How many pieces a content of that size takes.
  package static func pieceCount(ofContent byteCount: Int) -> Int {
    guard byteCount > firstContentByteCount else { return 1 }
    let rest = byteCount - firstContentByteCount
    return 1 + (rest + partContentByteCount - 1) / partContentByteCount
  }

  /// The key of the first piece, in the table of entities.
  package static func key(_ id: EntityID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(16)
    id.append(to: &key)
    return key
  }

  /// The id that a key of the table of entities, or of that of tombstones, stands for.
  ///
  /// - Throws: `corrupt` if it is none.
  package static func id(ofKey key: [UInt8]) throws(LedgerError) -> EntityID {
    guard key.count == 16 else {
      throw LedgerError(
        .corrupt, "A key of the snapshot is damaged. Restore the ledger from a copy.")
    }
    return EntityID(loadedFrom: key.span, at: 0)
  }

  /// The key of a further piece, in the table of parts; they count from 1.
  package static func partKey(_ id: EntityID, _ number: Int) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(18)
    id.append(to: &key)
    key.appendLittleEndian(UInt16(number).byteSwapped)
    return key
  }

  // MARK: Cutting

  /// Cuts a content into pieces, the first of them with the header.
  ///
  /// - Throws: `payloadTooLarge` if there would be more than 65,535 pieces.
  package static func pieces(
    _ id: EntityID, _ type: RecordType, _ content: [UInt8]
  ) throws(LedgerError) -> [[UInt8]] {
    let count = pieceCount(ofContent: content.count)
    guard let storedCount = UInt16(exactly: count) else {
      throw LedgerError(
        .payloadTooLarge, "The record of \(id) has \(content.count) bytes, too many to be stored.")
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

  /// As many records as are in memory at a time, and at least one.
  ///
  /// - Parameter firsts: Their first pieces.
  package static func group<Firsts: RandomAccessCollection<(id: EntityID, piece: [UInt8])>>(
    _ firsts: Firsts, pieceLimit: Int
  ) -> Firsts.SubSequence {
    firsts.prefix(weighing: pieceLimit) { pieceCount(of: $0.id, first: $0.piece) }
  }

  /// How many pieces a record has, as its first one says if it can be trusted.
  static func pieceCount(of id: EntityID, first: [UInt8]) -> Int {
    guard first.count == FrameHeader.maximumFrameByteCount, isSound(first, key: key(id)) else {
      return 1
    }
    return max(1, Int(first.span.loadLittleEndian(UInt16.self, at: 6)))
  }

  /// Checks the pieces of a record and joins their contents.
  ///
  /// - Parameter part: Gets a further piece by its number.
  /// - Throws: `corrupt` if a piece is damaged or missing, and what `part` throws.
  package static func join(
    _ id: EntityID, first: [UInt8], part: (Int) throws(LedgerError) -> [UInt8]?
  ) throws(LedgerError) -> Stored {
    guard first.count >= headerByteCount, first.count <= FrameHeader.maximumFrameByteCount else {
      throw damaged(id, "it has \(first.count) bytes")
    }
    guard first.span.loadLittleEndian(at: 0) == checksum(of: first.span, key: key(id)) else {
      throw damaged(id, "its checksum does not fit")
    }
    let count = Int(first.span.loadLittleEndian(UInt16.self, at: 6))
    guard count >= 1, count == 1 || first.count == FrameHeader.maximumFrameByteCount else {
      throw damaged(id, "its header does not fit")
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

  /// Whether the checksum that a value begins with fits, in any table of a snapshot.
  static func isSound(_ value: [UInt8], key: [UInt8]) -> Bool {
    value.count >= checksumByteCount
      && value.span.loadLittleEndian(at: 0) == checksum(of: value.span, key: key)
  }

  /// A value with its checksum before it.
  static func sealing(_ value: [UInt8], key: [UInt8]) -> [UInt8] {
    var sealed: [UInt8] = []
    sealed.reserveCapacity(checksumByteCount + value.count)
    sealed.appendLittleEndian(UInt32(0))
    sealed += value
    sealed.storeLittleEndian(checksum(of: sealed.span, key: key), at: 0)
    return sealed
  }

  // MARK: Tombstones

  /// What stands under the key of a tombstone.
  static func tombstone(_ id: EntityID) -> [UInt8] { sealing([], key: key(id)) }

  /// - Throws: `corrupt` if a tombstone is not as it was written.
  package static func checkTombstone(_ value: [UInt8], of id: EntityID) throws(LedgerError) {
    guard value == tombstone(id) else {
      throw LedgerError(
        .corrupt,
        "The tombstone of \(id) is damaged: its checksum does not fit. Restore the ledger from a copy."
      )
    }
  }

  package static func damaged(_ id: EntityID, _ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The snapshot record of \(id) is damaged: \(what). Restore the ledger from a copy.")
  }
}
