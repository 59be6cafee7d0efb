import Foundation
import LedgerBytes
import LedgerLMDB
import LedgerModelTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// Ledgers that are damaged in ways that no checksum shows: no archive of them is finished that an
/// import would refuse.
@Suite(.timeLimit(.minutes(10)))
struct DamagedExportTests {
  /// Exports, and expects that this fails before the last line.
  private static func failure(
    of path: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> LedgerError? {
    var bytes: [UInt8] = []
    let error = #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
      try BlockingInspector(at: path).export { bytes += $0 }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("{\"type\":\"end\""), sourceLocation: sourceLocation)
    #expect(error?.code == .corrupt, sourceLocation: sourceLocation)
    return error
  }

  @Test(arguments: ["entities", "tombstones"])
  func aLostRecordIsFound(table: String) async throws {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    for entry in try ledger.entries(of: table) {
      try ledger.put(nil, forKey: entry.key, in: table)
      let message = try Self.failure(of: ledger.path)?.message
      #expect(message?.contains("but the snapshot counts") == true, "\(table): \(entry.key)")
      try ledger.put(entry.value, forKey: entry.key, in: table)
    }
    #expect(try !BlockingInspector(at: ledger.path).archive().isEmpty)
  }

  @Test func aTombstoneTooManyIsFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    let id = EntityID.numbered(5)
    try ledger.put(
      SnapshotRecord.tombstone(id), forKey: SnapshotRecord.key(id), in: "tombstones")
    let message = try Self.failure(of: ledger.path)?.message
    #expect(message?.contains("but the snapshot counts") == true)
  }

  @Test func aBitFlipInATombstoneIsFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.everything])
    let keys = try ledger.entries(of: "tombstones").map(\.key)
    #expect(keys.count > 2)
    let url = URL(fileURLWithPath: ledger.path + "/generation-000001/data.mdb")
    let whole = try Data(contentsOf: url)
    for key in keys {
      for byte in [0, 15] {
        var data = whole
        var start = data.startIndex
        while let range = data.range(of: Data(key), in: start..<data.endIndex) {
          data[range.lowerBound + byte] ^= 0x80
          start = range.upperBound
        }
        let file = try FileHandle(forUpdating: url)
        try file.write(contentsOf: data)
        try file.close()
        // Out of order, the keys of a page are found before any of them is read.
        let error = try Self.failure(of: ledger.path)
        #expect(error?.code == .corrupt, "byte \(byte)")
        #expect(error?.message.contains("tombstone") == true, "\(error?.message ?? "none")")
      }
    }
  }

  // MARK: Events

  /// Gives the first event from `first` on that begins a frame another time, with a checksum that fits.
  ///
  /// - Returns: Its position.
  private static func changeEvent(from first: UInt64, of path: String) throws -> Position {
    let environment = try Environment.open(
      at: LedgerDirectory(path).generation(LedgerDirectory.firstGeneration),
      tables: LedgerTables.descriptions)
    let log = try environment.table(named: "log")
    var changed = Position.start
    try environment.write { transaction in
      var frame: (key: UInt64, bytes: [UInt8])?
      try transaction.scan(log, from: first) { key, value in
        frame = (key, Array(copying: value))
        return false
      }
      guard let (key, original) = frame else { return }
      var bytes = original
      bytes[FrameHeader.byteCount + 16] ^= 1
      bytes.storeLittleEndian(FrameView.checksum(of: bytes.span, key: key), at: 0)
      try transaction.put(bytes.span, forKey: key, in: log)
      changed = Position(rawValue: key)
    }
    try environment.close()
    return changed
  }

  @Test(arguments: [1, 20] as [UInt64])
  func anotherEventThanTheSnapshotWasMadeOfIsFound(first: UInt64) async throws {
    let ledger = try await CompactedLedger([.foldOnly])
    _ = try Self.changeEvent(from: first, of: ledger.path)
    #expect(
      try Self.failure(of: ledger.path)?.message.contains("do not match the snapshot") == true)
  }

  @Test func aSnapshotThatIsFurtherOnThanTheEventsIsFound() async throws {
    let ledger = try await CompactedLedger([CompactionSample.events])
    var summary = try BlockingInspector(at: ledger.path).store.snapshotSummary()
    summary.position = try BlockingInspector(at: ledger.path).head.advanced(by: 1)
    try ledger.put(summary.encoded, forKey: SnapshotSummary.key, in: "meta")
    let message = try Self.failure(of: ledger.path)?.message
    #expect(message?.contains("the snapshot is at position") == true)
  }

  /// An export does not write lines that an import refuses.
  @Test func eventsThatCannotStandWhereTheyDoAreFound() throws {
    let creation = NewEvent.of(LedgerCreated(formatVersion: 0), on: .numbered(77))
    let created = NewEvent.of(PromiseCreated(typeTag: "text"), on: PromiseID.numbered(1).entityID)
    var effect = created
    effect.cause = Position(rawValue: 2)
    for events in [[created], [creation, creation], [creation, effect]] {
      var ledger = try CraftedLedger()
      try ledger.commit(events)
      #expect(try Self.failure(of: ledger.path)?.message.contains("position") == true)
    }
    var other = try CraftedLedger(id: 78)
    try other.commit([creation])
    #expect(try Self.failure(of: other.path)?.message.contains("a ledger other") == true)
  }

  /// The changed event is one of those that are to be archived, or comes after them.
  @Test(arguments: [0, 60])
  func nothingIsDeletedThatItsArchiveDoesNotProve(keptCount: Int) async throws {
    let temporary = try TemporaryLedger()
    let directory = FileSystem.parent(of: temporary.path) + "/archives"
    try FileSystem.createDirectory(directory)
    let ledger = try await temporary.open(configuration: CompactionSample.configuration())
    _ = try await CompactionSample.fill(ledger, 60)
    try await ledger.compact(.foldOnly)
    let store = try await ledger.engine.openStore()
    let position = try Self.changeEvent(from: 80, of: temporary.path)
    #expect(try position < store.snapshotSummary().position)
    var policy = CompactionPolicy.everything(archivedIn: directory)
    policy.minimumEventCount = keptCount
    let error = await #expect(throws: LedgerError.self) { try await ledger.compact(policy) }
    #expect(error?.code == .corrupt && error?.message.contains("do not match the snapshot") == true)
    #expect(try store.snapshotSummary().deletedThrough == .start)
    #expect(try FileSystem.list(directory) == [])
    await ledger.close()
  }
}
