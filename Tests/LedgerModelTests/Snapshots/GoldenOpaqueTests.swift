import LedgerBytes
import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The records of later versions, their entries in a summary, and their lines in archives, in the
/// bytes of the file format.
@Suite(.timeLimit(.minutes(10))) struct GoldenOpaqueTests {
  private static let id = EntityID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
  private static let type = RecordType(kind: 4, layout: 1)

  /// Keyed; last event 9 at time 7; owns 5,000 bytes at position 8; in a list of its own, and in that of
  /// deadlines.
  private static let content = [UInt8](
    hex: """
      01 0900000000000000 0700000000000000
      0100 0800000000000000 88130000
      0200 64 0800 8000000000000005 0000  77 0200 0102 0100 ff
      cafe
      """)

  @Test func anOutlineIsAsSpecified() throws {
    let entity = try LedgerEntity(type: Self.type, id: Self.id, content: Self.content)
    #expect(entity.kind == nil && entity.type == Self.type && entity.id == Self.id)
    #expect(entity.isKeyed && entity.isOpen)
    #expect(entity.lastPosition == Position(rawValue: 9) && entity.lastTime == .at(7))
    #expect(
      entity.attachments == [AttachmentReference(position: Position(rawValue: 8), byteCount: 5_000)]
    )
    let deadline = OpenEntry(
      key: OpenList.deadlines.key(Self.id, order: 1 << 63 | 5), value: [])
    let own = OpenEntry(key: [0x77, 1, 2] + SnapshotRecord.key(Self.id), value: [0xFF])
    #expect(entity.openEntries == [deadline, own])
    #expect(entity.content == Self.content)
  }

  @Test func aClosedOneStandsInTheListOfThem() throws {
    var content = [UInt8](hex: "00 0900000000000000 0700000000000000 0000")
    content += [UInt8](hex: "0100 78 0800 0000000000000009 0800 0700000000000000")
    let entity = try LedgerEntity(type: Self.type, id: Self.id, content: content)
    #expect(!entity.isOpen && !entity.isKeyed)
    #expect(entity.openEntries.map(\.position) == [Position(rawValue: 9)])
  }

  @Test func anythingButAnOutlineIsDamage() throws {
    let outlineByteCount = Self.content.count - 2
    for count in 0..<outlineByteCount {
      let error = #expect(throws: LedgerError.self, "\(count)") {
        try LedgerEntity(type: Self.type, id: Self.id, content: Array(Self.content[..<count]))
      }
      #expect(error?.code == .corrupt, "\(count)")
    }
    // Flags, attachments and entries that are out of order, and a list that is none.
    for (offset, byte) in [(0, 2), (19, 0), (33, 0x78), (33, 0)] as [(Int, UInt8)] {
      var content = Self.content
      content[offset] = byte
      #expect(throws: LedgerError.self, "\(offset)") {
        try LedgerEntity(type: Self.type, id: Self.id, content: content)
      }
    }
    // The first layout is known whole: there is no such kind in it.
    let error = #expect(throws: LedgerError.self) {
      try LedgerEntity(
        type: RecordType(kind: 4, layout: RecordType.original), id: Self.id, content: Self.content)
    }
    #expect(error?.code == .corrupt)
  }

  /// The list, the bytes before the id, and the value beside the key.
  private static let wrongEntries: [[(UInt8, [UInt8], Int)]] = {
    let (order, last) = ([UInt8](hex: "0000000000000005"), [UInt8](hex: "0000000000000009"))
    return [
      [(0x70, [1, 2], 0)], [(0x70, last + [0], 0)], [(0x70, [UInt8](repeating: 0, count: 8), 17)],
      [(0x70, [UInt8](hex: "000000000000000a"), 17)], [(0x70, order, 17), (0x70, last, 17)],
      [(0x64, order, 1)], [(0x64, order, 0), (0x64, last, 0)], [(0x68, [], 3)],
      [(0x78, order, 8)], [(0x78, last, 0)], [(0x70, order, 17), (0x78, last, 8)],
      [(0x73, [1], 0)], [(0x73, [], 1)], [(0x72, [1], 0)], [(0x63, [7], 0)],
      [(0x63, [0, 7, 0], 0)],
      [(0x77, [UInt8](repeating: 7, count: 495), 0)], [(0x77, [7], 2_049)],
    ]
  }()

  @Test(arguments: wrongEntries.indices)
  func entriesInKnownListsMustFit(number: Int) throws {
    func content(_ entries: [(UInt8, [UInt8], Int)]) -> [UInt8] {
      var content = [UInt8](hex: "00 0900000000000000 0700000000000000 0000")
      content.appendLittleEndian(UInt16(entries.count))
      for (list, middle, valueByteCount) in entries {
        content.append(list)
        content.appendPayload(middle)
        content.appendPayload([UInt8](repeating: 0, count: valueByteCount))
      }
      return content
    }
    let right: [(UInt8, [UInt8], Int)] = [
      (0x63, [7, 0], 0), (0x63, [8, 0], 0), (0x70, [UInt8](hex: "0000000000000005"), 17),
      (0x77, [UInt8](repeating: 7, count: 494), 2_048),
    ]
    _ = try LedgerEntity(type: Self.type, id: Self.id, content: content(right))
    let wrong = content(Self.wrongEntries[number])
    let error = #expect(throws: LedgerError.self) {
      try LedgerEntity(type: Self.type, id: Self.id, content: wrong)
    }
    #expect(error?.code == .corrupt)
  }

  @Test func aKeyedOneHasAnIDWithoutTime() throws {
    #expect(throws: LedgerError.self) {
      try LedgerEntity(type: Self.type, id: .numbered(1), content: Self.content)
    }
  }

  @Test func aRecordHasItsTypeInItsHeader() throws {
    let pieces = try SnapshotRecord.pieces(Self.id, Self.type, Self.content)
    #expect(Array(pieces[0][4..<8]) == [4, 1, 1, 0])
    let joined = try SnapshotRecord.join(Self.id, first: pieces[0]) { (_) throws(LedgerError) in nil
    }
    #expect(joined == SnapshotRecord.Stored(type: Self.type, content: Self.content))
  }

  @Test func theStateDigestKnowsTheLayout() {
    var digest = StateDigest.empty
    digest.add(Self.type, Self.id, [7])
    #expect(digest.bytes == SHA256Hasher.hash(of: [0xFF, 1, 4] + Self.id.bytes + [7]))
    digest.remove(Self.type, Self.id, [7])
    #expect(digest == .empty)
  }

  @Test func theSummaryCountsThem() throws {
    var summary = SnapshotSummary()
    let plain = summary.encoded
    #expect(plain.count == SnapshotSummary.byteCount)
    let entity = try LedgerEntity(type: Self.type, id: Self.id, content: Self.content)
    for type in [RecordType(kind: 4, layout: 2), RecordType(kind: 1, layout: 1), Self.type] {
      summary.counts.add(type, byteCount: 10)
    }
    for entry in entity.openEntries { summary.counts.lists.add(entry) }
    #expect(summary.counts.records == 3 && summary.counts.opaque == 3)
    #expect(summary.counts.lists.total == 2)
    let golden = [UInt8](
      hex: """
        01010100 0100000000000000 01040100 0100000000000000 01040200 0100000000000000
        02770000 0100000000000000
        """)
    let encoded = summary.encoded
    #expect(Array(encoded[SnapshotSummary.byteCount...]).hex == golden.hex)
    #expect(try SnapshotSummary(decoding: encoded) == summary)
    for type in [RecordType(kind: 4, layout: 2), RecordType(kind: 1, layout: 1), Self.type] {
      summary.counts.subtract(type, byteCount: 10)
    }
    for entry in entity.openEntries { summary.counts.lists.subtract(entry) }
    #expect(!summary.counts.hasOpaque && summary.encoded == plain)
  }

  @Test(arguments: [
    "01010100 0000000000000000", "01010000 0100000000000000", "01000100 0100000000000000",
    "02700000 0100000000000000", "03770000 0100000000000000", "02770000 01000000000000",
    "02770000 0100000000000000 01010100 0100000000000000",
    "02770000 0100000000000000 02770000 0100000000000000", "01010101 0100000000000000",
  ])
  func countsThatCannotBeAreDamage(hex: String) throws {
    var bytes = SnapshotSummary().encoded + [UInt8](hex: hex)
    bytes.storeLittleEndian(CRC32C.checksum(bytes.span.extracting(4..<bytes.count)), at: 0)
    let error = #expect(throws: LedgerError.self) { try SnapshotSummary(decoding: bytes) }
    #expect(error?.code == .corrupt)
  }

  @Test func theLineOfAnArchiveSaysTheLayout() throws {
    let record = ArchivedRecord(type: Self.type, id: Self.id, content: [1, 2, 3])
    let line =
      #"{"type":"record","kind":4,"name":"","layout":1,"id":"01020304-0506-0708-090a-0b0c0d0e0f10","content":"AQID"}"#
    #expect(String(decoding: ArchiveLine.record(record).text, as: UTF8.self) == line + "\n")
    #expect(try ArchiveLine(parsing: Array(line.utf8)) == .record(record))
    let later = line.replacing(#""name":"""#, with: #""name":"work""#)
    #expect(try ArchiveLine(parsing: Array(later.utf8)) == .record(record))
    let event = ArchivedEvent(
      position: Position(rawValue: 2), commit: CommitID(session: .numbered(1), number: 1),
      time: .at(3), kind: EventKind(rawValue: 999), version: 1, flags: 0, subject: Self.id,
      cause: .start, payload: [1], attachment: [])
    let text = String(decoding: ArchiveLine.event(event).text.dropLast(), as: UTF8.self)
    let named = text.replacing(#""name":"""#, with: #""name":"workStarted""#)
    #expect(try ArchiveLine(parsing: Array(named.utf8)) == .event(event))
    for damaged in [
      line.replacing(#","layout":1"#, with: ""),
      line.replacing(#""layout":1"#, with: #""layout":0"#),
      line.replacing(#""kind":4,"name":"""#, with: #""kind":1,"name":"work""#),
    ] {
      #expect(throws: ArchiveProblem.self) { try ArchiveLine(parsing: Array(damaged.utf8)) }
    }
  }
}
