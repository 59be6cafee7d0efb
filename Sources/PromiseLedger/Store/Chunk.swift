import LedgerBytes

/// A piece of an attachment; see the article *File format*.
enum Chunk {
  static let headerByteCount = 8

  /// The size of the content of every chunk but the last, in bytes.
  static let contentByteCount = PageValue.byteCount - headerByteCount

  /// The key of a chunk: position and number, big-endian, so that the chunks of one event are adjacent.
  static func key(_ position: Position, _ number: Int) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(12)
    key.appendLittleEndian(position.rawValue.byteSwapped)
    key.appendLittleEndian(UInt32(number).byteSwapped)
    return key
  }

  /// The event and the number of a chunk; `nil` if it is not the key of a chunk.
  static func place(ofKey key: [UInt8]) -> (position: Position, number: Int)? {
    guard key.count == 12 else { return nil }
    let position = key[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    return (Position(rawValue: position), key[8...].reduce(0) { $0 << 8 | Int($1) })
  }

  static func count(ofAttachment byteCount: Int) -> Int {
    (byteCount + contentByteCount - 1) / contentByteCount
  }

  /// Splits an attachment and passes each chunk to `body` with its key.
  static func cut<Failure: Error>(
    _ attachment: [UInt8], of position: Position,
    _ body: (_ key: [UInt8], _ chunk: [UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    for number in 0..<count(ofAttachment: attachment.count) {
      let start = number * contentByteCount
      let end = min(start + contentByteCount, attachment.count)
      var chunk: [UInt8] = []
      chunk.reserveCapacity(headerByteCount + end - start)
      chunk.appendLittleEndian(UInt32(0))
      chunk.appendLittleEndian(UInt32(attachment.count))
      chunk.append(contentsOf: attachment.span.extracting(start..<end))
      let key = key(position, number)
      chunk.storeLittleEndian(checksum(of: chunk.span, key: key), at: 0)
      try body(key, chunk)
    }
  }

  /// Checks a chunk and appends its content to that of the chunks before it.
  static func append(
    _ chunk: Span<UInt8>?, of position: Position, _ number: Int, attachment byteCount: Int,
    to content: inout [UInt8]
  ) throws(LedgerError) {
    guard let chunk else { throw damaged(position, number, "it is missing") }
    guard chunk.count > headerByteCount else { throw damaged(position, number, "it is too short") }
    guard chunk.loadLittleEndian(at: 0) == checksum(of: chunk, key: key(position, number)) else {
      throw damaged(position, number, "its checksum does not match")
    }
    let rest = min(byteCount - content.count, contentByteCount)
    guard Int(chunk.loadLittleEndian(UInt32.self, at: 4)) == byteCount,
      chunk.count == headerByteCount + rest
    else { throw damaged(position, number, "its length is wrong") }
    content.append(contentsOf: chunk.extracting(headerByteCount..<chunk.count))
  }

  /// Whether a value is the chunk of a key, by its checksum.
  static func isSound(_ chunk: borrowing Span<UInt8>, key: [UInt8]) -> Bool {
    chunk.count > headerByteCount && chunk.count <= PageValue.byteCount
      && chunk.loadLittleEndian(at: 0) == checksum(of: chunk, key: key)
  }

  private static func checksum(of chunk: borrowing Span<UInt8>, key: [UInt8]) -> UInt32 {
    CRC32C.checksum(
      chunk.extracting(4..<chunk.count), continuing: CRC32C.checksum(key.span, continuing: 0))
  }

  private static func damaged(
    _ position: Position, _ number: Int, _ what: String
  ) -> LedgerError {
    LedgerError(
      .corrupt,
      "Chunk \(number) of the value stored at position \(position) is damaged: \(what). Restore the ledger from a copy."
    )
  }
}
