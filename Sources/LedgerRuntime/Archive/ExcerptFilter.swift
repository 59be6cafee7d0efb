/// Makes an excerpt of the bytes of an archive: the lines about some entities.
///
/// The archive comes from an ``ArchiveWriter`` of this process, so it is not checked again.
struct ExcerptFilter {
  private let ids: Set<EntityID>
  private var writer = ExcerptWriter()
  /// Whether the newest record belongs to the excerpt, with the attachments that follow it.
  private var keepsRecord = false
  private var lineNumber = 0

  var recordCount: Int { writer.recordCount }
  var eventCount: Int { writer.eventCount }

  init(_ ids: Set<EntityID>) { self.ids = ids }

  /// The first line.
  mutating func header(of ledgerID: LedgerID) -> [UInt8] { writer.header(of: ledgerID, .subject) }

  /// The lines of the next piece of the archive that belong to the excerpt.
  mutating func filter(_ piece: [UInt8]) throws(LedgerError) -> [UInt8] {
    var result: [UInt8] = []
    for line in piece.split(separator: UInt8(ascii: "\n")) {
      lineNumber += 1
      do throws(ArchiveProblem) {
        let line = try ArchiveLine(parsing: Array(line))
        if belongs(line) { result += writer.line(line) }
      } catch {
        throw .archive(line: lineNumber, error)
      }
    }
    return result
  }

  /// The last line.
  mutating func end() -> [UInt8] { writer.end() }

  private mutating func belongs(_ line: ArchiveLine) -> Bool {
    switch line {
    case .record(let record):
      keepsRecord = ids.contains(record.id)
      return keepsRecord
    case .attachment: return keepsRecord
    case .event(let event): return ids.contains(event.subject)
    case .header, .snapshot, .tombstone, .recording, .state, .end: return false
    }
  }
}
