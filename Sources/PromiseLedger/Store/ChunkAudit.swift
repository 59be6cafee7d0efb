/// An audit of the chunks of all attachments.
struct ChunkAudit: AttachmentAudit {
  private let tables: LMDBSnapshotTables
  private var visitedCount = 0

  init(_ tables: LMDBSnapshotTables) {
    self.tables = tables
  }

  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError) {
    var previous: [UInt8] = []
    var visitedCount = visitedCount
    defer { self.visitedCount = visitedCount }
    try tables.scan(.blob, from: Chunk.key(first, 0)) { (key, _) throws(LedgerError) in
      guard previous.lexicographicallyPrecedes(key) else {
        throw LedgerError(
          .corrupt, "The keys of large values are out of order. Restore the ledger from a copy.")
      }
      previous = key
      step()
      guard let (position, number) = Chunk.place(ofKey: key) else {
        report("A record of the table blob has the invalid key \(key.hexadecimal).", nil)
        return true
      }
      guard position <= last else { return false }
      visitedCount += 1
      if number >= Chunk.count(ofAttachment: byteCounts[position] ?? 0) {
        report("Chunk \(number) of a large value belongs to no event.", position)
      }
      return true
    }
  }

  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool {
    let count = try tables.entryCount(of: .blob)
    guard count != visitedCount else { return false }
    report("The table blob should hold \(count) records, but \(visitedCount) can be reached.")
    return count > visitedCount
  }
}
