extension SnapshotTables {
  /// The attachment of the event at `position`, joined from its chunks.
  ///
  /// - Throws: `corrupt` if a chunk is missing or damaged.
  package func attachment(
    of position: Position, byteCount: Int
  ) throws(LedgerError) -> [UInt8] {
    var content: [UInt8] = []
    // A damaged length cannot make us allocate more than the chunks that are really there.
    for number in 0..<Chunk.count(ofAttachment: byteCount) {
      let chunk = try value(forKey: Chunk.key(position, number), in: .blob)
      try Chunk.append(chunk?.span, of: position, number, attachment: byteCount, to: &content)
    }
    return content
  }
}
