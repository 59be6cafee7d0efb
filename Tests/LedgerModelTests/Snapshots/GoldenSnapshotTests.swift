import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The entries of lists, the tombstones and the summary of a snapshot as the file format has them.
@Suite(.timeLimit(.minutes(10))) struct GoldenSnapshotTests {
  private static let id = EntityID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  @Test func anEntryIsAsSpecified() throws {
    let key = OpenList.promises.key(Self.id, order: 5)
    #expect(
      key.hex == [UInt8](hex: "70 0000000000000005 0102030405060708 090a0b0c0d0e0f10").hex)
    let value = [UInt8](hex: "01 0000000000000000 0000000000000002")
    let entry = OpenEntry(key: key, value: value)
    #expect(entry.stored.hex == ([UInt8](hex: "e3ba9e97") + value).hex)
    #expect(try OpenEntry(key: key, stored: entry.stored) == entry)
    let empty = OpenEntry(key: OpenList.sessions.key(Self.id), value: [])
    #expect(empty.stored.hex == [UInt8](hex: "4fcdc757").hex)
  }

  @Test func everyFlippedBitOfAnEntryIsNoticed() throws {
    let entry = OpenEntry(key: OpenList.promises.key(Self.id, order: 5), value: [1, 2, 3])
    for bit in 0..<(8 * entry.stored.count) {
      var stored = entry.stored
      stored[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: LedgerError.self, "bit \(bit)") {
        try OpenEntry(key: entry.key, stored: stored)
      }
    }
    for bit in 0..<(8 * entry.key.count) {
      var key = entry.key
      key[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: LedgerError.self, "bit \(bit) of the key") {
        try OpenEntry(key: key, stored: entry.stored)
      }
    }
    for count in 0..<4 {
      let stored = Array(entry.stored.prefix(count))
      #expect(throws: LedgerError.self, "the first \(count) bytes") {
        try OpenEntry(key: entry.key, stored: stored)
      }
    }
  }

  @Test func damageNamesTheListAndTheEntity() throws {
    let key = OpenList.deadlines.key(Self.id, order: 5)
    let error = #expect(throws: LedgerError.self) { try OpenEntry(key: key, stored: [1, 2, 3, 4]) }
    #expect(error?.code == .corrupt)
    #expect(error?.message.contains("\(Self.id)") == true)
    #expect(error?.message.contains("the list of deadlines") == true)
  }

  @Test func aTombstoneIsAsSpecified() throws {
    #expect(SnapshotRecord.tombstone(Self.id).hex == [UInt8](hex: "1467dea0").hex)
    let error = #expect(throws: LedgerError.self) {
      try SnapshotRecord.checkTombstone([], of: Self.id)
    }
    #expect(error?.code == .corrupt && error?.message.contains("\(Self.id)") == true)
  }

  @Test func theSummaryIsAsSpecified() throws {
    var summary = SnapshotSummary()
    summary.position = Position(rawValue: 9)
    summary.time = .at(-2)
    summary.ledgerID = LedgerID(entityID: Self.id)
    summary.stateDigest = StateDigest(bytes: [UInt8](0..<32))
    summary.logDigest = LogDigest(
      position: summary.position, bytes: [UInt8](repeating: 7, count: 32))
    summary.horizon = SnapshotSummary.Horizon(position: Position(rawValue: 3), time: .at(4))
    summary.deletedLog = LogDigest(
      position: Position(rawValue: 2), bytes: [UInt8](repeating: 6, count: 32))
    summary.readBackThrough = Position(rawValue: 8)
    summary.counts.promises = 21
    summary.counts.sessions = 22
    summary.counts.handlers = 23
    summary.counts.tombstones = 24
    summary.counts.bytes = 25
    for (number, kind) in OpenList.Kind.original.enumerated() {
      summary.counts.lists[kind] = UInt64(31 + number)
    }
    summary.newestTimedID = Self.id
    let golden = [UInt8](
      hex: """
        3ddd7a13 00000000 0900000000000000 feffffffffffffff 0102030405060708 090a0b0c0d0e0f10
        0001020304050607 08090a0b0c0d0e0f 1011121314151617 18191a1b1c1d1e1f
        0707070707070707 0707070707070707 0707070707070707 0707070707070707
        0300000000000000 0400000000000000 0200000000000000 0800000000000000
        1500000000000000 1600000000000000 1700000000000000 1800000000000000 1900000000000000
        1f00000000000000 2000000000000000 2100000000000000 2200000000000000 2300000000000000 2400000000000000 2500000000000000
        0606060606060606 0606060606060606 0606060606060606 0606060606060606
        0102030405060708 090a0b0c0d0e0f10 0000000000000000
        """)
    #expect(golden.count == SnapshotSummary.byteCount)
    #expect(summary.encoded.hex == golden.hex)
    #expect(try SnapshotSummary(decoding: golden) == summary)
    #expect(String(decoding: OpenList.Kind.original.map(\.rawValue), as: UTF8.self) == "cdhprsx")
    #expect(
      String(decoding: OpenList.Kind.allCases.map(\.rawValue), as: UTF8.self) == "cdhprsxafjklnqt")
  }
}
