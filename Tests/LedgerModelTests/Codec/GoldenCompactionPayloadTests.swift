import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The payloads of compaction's events as the file format has them.
@Suite(.timeLimit(.minutes(10))) struct GoldenCompactionPayloadTests {
  @Test func snapshotTakenIsAsSpecified() throws {
    let golden = GoldenPayloadTests.Golden(
      SnapshotTaken(
        position: Position(rawValue: 5), recordCount: 6,
        stateDigest: StateDigest(bytes: [UInt8](1...32)),
        logDigest: LogDigest(
          position: Position(rawValue: 5), bytes: [UInt8](repeating: 7, count: 32))),
      "0500000000000000 0600000000000000",
      "0102030405060708 090a0b0c0d0e0f10 1112131415161718 191a1b1c1d1e1f20",
      "0707070707070707 0707070707070707 0707070707070707 0707070707070707")
    try golden.check()
    golden.checkLengths()
  }

  @Test func retentionAppliedIsAsSpecified() throws {
    let golden = GoldenPayloadTests.Golden(
      RetentionApplied(
        after: Position(rawValue: 1), horizon: Position(rawValue: 9), time: .at(-1),
        removedCount: 3, kept: [EntityID(high: 0, low: 1), EntityID(high: 1, low: 0)]),
      "0100000000000000 0900000000000000 ffffffffffffffff 03000000 02000000",
      "0000000000000000 0000000000000001 0000000000000001 0000000000000000")
    try golden.check()
    golden.checkLengths()
  }

  @Test func idsThatAreNotInOrderAreDamage() throws {
    let bytes = RetentionApplied(
      after: .start, horizon: Position(rawValue: 9), time: .at(0), removedCount: 0,
      kept: [.numbered(2), .numbered(1)]
    ).encoded
    #expect(throws: LedgerError.self) { try RetentionApplied(decoding: bytes) }
  }

  @Test func theMostIdsThatAreKeptFitIntoAnEvent() {
    let kept = (0..<RetentionApplied.maximumKeptCount).map(EntityID.numbered)
    let event = RetentionApplied(
      after: .start, horizon: .start, time: .at(0), removedCount: 0, kept: kept)
    #expect(event.encoded.count <= EventBatch.maximumPayloadByteCount)
  }

  @Test func eventsCompactedIsAsSpecified() throws {
    let golden = GoldenPayloadTests.Golden(
      EventsDeleted(
        through: Position(rawValue: 5), eventCount: 4, byteCountBefore: 3, byteCountAfter: 2,
        isArchived: true),
      "0500000000000000 0400000000000000 0300000000000000 0200000000000000 01")
    try golden.check()
    golden.checkLengths()
  }
}
