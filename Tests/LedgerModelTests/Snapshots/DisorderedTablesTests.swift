import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting

/// Keys of a damaged snapshot that are not in order: a walk that continues after the last key that
/// it saw would see the same keys again and again.
@Suite(.timeLimit(.minutes(10))) struct DisorderedTablesTests {
  private static let count = SnapshotReader.sliceCount

  /// A snapshot whose tables hold entries in an order of their own; looking for a key finds the first
  /// entry that is not before it.
  private struct Source: SnapshotSource, SnapshotTables {
    var keys: [[UInt8]]

    func readSnapshot<R>(
      _ body: (any SnapshotTables) throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
      try body(self)
    }

    func values(forKeys keys: [[UInt8]], in table: SnapshotTable) -> [[UInt8]?] {
      keys.map { _ in
        guard table == .meta else { return nil }
        var summary = SnapshotSummary()
        summary.position = Position(rawValue: 100_000)
        summary.counts.lists[.closed] = UInt64(self.keys.count)
        return summary.encoded
      }
    }

    func show(_ changes: some Collection<TableChange>) -> [Bool] { changes.map { _ in false } }

    func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int { keys.count }

    func scan(
      _ table: SnapshotTable, from start: [UInt8],
      _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
    ) throws(LedgerError) {
      let first = keys.firstIndex { !$0.lexicographicallyPrecedes(start) } ?? keys.endIndex
      for key in keys[first...] {
        guard try body(key, SnapshotRecord.sealing([], key: key)) else { return }
      }
    }

    func attachments(_ wanted: [AttachmentReference]) -> [Result<[UInt8], LedgerError>] {
      wanted.map { _ in .success([]) }
    }

    func auditOfAttachments() -> any AttachmentAudit { InMemoryTables().auditOfAttachments() }
  }

  @Test func aListThatLeadsBackIsDamaged() throws {
    var keys = (1...2 * Self.count).map { number in
      OpenList.closed.key(.numbered(number), order: UInt64(500 + number))
    }
    keys[Self.count - 1] = OpenList.closed.key(.numbered(Self.count), order: 8)
    let reader = try SnapshotReader(Source(keys: keys))
    var visits = 0
    expectCorrupt {
      try reader.forEachEntry(of: .closed) { (_) throws(LedgerError) in
        visits += 1
        return visits <= keys.count
      }
    }
    let state = LedgerState(snapshot: reader)
    var walk = EntityWalk(.closed(nil))
    expectCorrupt {
      for _ in 0..<10 where try walk.next(over: state) == nil { return }
    }
  }

  @Test func recordsThatLeadBackAreDamaged() throws {
    var keys = (1...2 * Self.count).map { SnapshotRecord.key(.numbered($0 + 500)) }
    keys[Self.count - 1] = SnapshotRecord.key(.numbered(8))
    let reader = try SnapshotReader(Source(keys: keys))
    expectCorrupt { _ = try reader.ids(from: .numbered(1), limit: Self.count) }
  }

  private func expectCorrupt(
    _ body: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      try body()
    } throws: {
      ($0 as? LedgerError)?.code == .corrupt
    }
  }
}
