import LedgerBytes
package import LedgerSystem

/// The newest acknowledged position, kept outside the data file.
///
/// LMDB writes two meta pages in turn. If a disk loses the write of the newer one, the data file is in the
/// state before the last commit, complete and consistent. The mark is in the shared words of the file `wake`.
/// It is written when a commit is durable, and never synced: it may lag behind the log or be missing, but it
/// is ahead of the log only if the log lost events.
///
/// It is valid for one data file only. It is meaningless in a copy that was made while the ledger was in use,
/// or put together from several copies.
package struct AcknowledgedMark {
  /// The words of the mark: the position's lower and upper half, and a checksum.
  private static let firstWord = SharedWordLayout.firstFree
  private static let wordCount = 3

  /// The id of the ledger and the number of the data file, which are part of the checksum.
  private let owner: [UInt8]

  package init(
    of ledger: LedgerID, in directory: LedgerDirectory, generation: String
  ) throws(LedgerError) {
    let dataFile = directory.generation(generation) + "/data.mdb"
    let fileNumber = try LedgerError.system("The data file cannot be examined.") {
      () throws(SystemError) in try FileSystem.identity(dataFile).inode
    }
    var owner: [UInt8] = []
    ledger.entityID.append(to: &owner)
    owner.appendLittleEndian(fileNumber)
    self.owner = owner
  }

  /// Notes that everything up to `position` is durable. The caller holds the writer gate.
  package func move(to position: Position, in words: SharedWords) {
    for (index, word) in encoded(position).enumerated() {
      words.store(word, to: Self.firstWord + index)
    }
  }

  /// The marked position, or `nil` if the mark is missing, damaged or being written.
  package func position(inFile path: String) -> Position? {
    let wordByteCount = UInt32.bitWidth / 8
    let start = Self.firstWord * wordByteCount
    let end = start + Self.wordCount * wordByteCount
    guard let bytes = try? FileSystem.readPrefix(path, maximumBytes: end), bytes.count == end else {
      return nil
    }
    return decoded(
      stride(from: start, to: end, by: wordByteCount).map {
        bytes.span.loadLittleEndian(UInt32.self, at: $0)
      })
  }

  /// Rejects a log that ends before the mark, which must be read before the log.
  static func check(_ position: Position?, isIn head: Position) throws(LedgerError) {
    guard let position, head < position else { return }
    throw LedgerError(
      .corrupt,
      "The ledger lost events: the last one is at position \(head), but the event at position \(position) was acknowledged. Restore the ledger from a copy. If a copy was already restored into the same file, remove the ledger's file wake while no process has the ledger open."
    )
  }

  private func encoded(_ position: Position) -> [UInt32] {
    [
      UInt32(truncatingIfNeeded: position.rawValue),
      UInt32(truncatingIfNeeded: position.rawValue >> 32),
      CRC32C.checksum(key: position.rawValue, owner.span),
    ]
  }

  private func decoded(_ words: [UInt32]) -> Position? {
    let position = Position(rawValue: UInt64(words[0]) | UInt64(words[1]) << 32)
    return position > .start && encoded(position) == words ? position : nil
  }
}
