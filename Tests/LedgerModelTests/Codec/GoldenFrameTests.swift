import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import PromiseLedger

/// A frame and a chunk as the file format has them, worked out by hand, with their checksums.
@Suite(.timeLimit(.minutes(10))) struct GoldenFrameTests {
  static let frame = PureLedger.StoredFrame(
    key: 259,
    bytes: [UInt8](
      hex: """
        960f628f 0000 0200 0301000000000000 b800 0000 29000000
        000102030405060708090a0b0c0d0e0f 0700000000000000

        4800 2000 0100 1200 00000000 00000000 0100f323845bd718 0000000000000000
        0190aabbccdd7eee8fff010203040506
        0000000000000000 0800 6a736f6e3a496e74 000000000000

        4000 2300 0100 0c00 00000000 00000000 ffffffffffffffff 0201000000000000
        0190aabbccdd7eee8fff010203040507
        0a00 6e6f74206e6565646564 00000000
        """))

  static let commit = CommitID(
    session: SessionID(
      entityID: EntityID(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)),
    number: 7)

  static func subject(_ last: UInt64) -> EntityID {
    EntityID(high: 0x0190_AABB_CCDD_7EEE, low: 0x8FFF_0102_0304_0500 | last)
  }

  static let events = [
    NewEvent.of(
      PromiseCreated(typeTag: "json:Int"), on: subject(6), at: .at(1_790_000_000_000_000_001)),
    NewEvent(
      kind: .promiseAbandoned, version: 1, time: .at(-1), subject: subject(7),
      cause: Position(rawValue: 258), payload: PromiseAbandoned(reason: "not needed").encoded,
      attachment: []),
  ]

  @Test func aFrameIsPackedAsSpecified() throws {
    var batch = EventBatch()
    for event in Self.events { try batch.append(event) }

    let frames = batch.frames(from: Position(rawValue: 259), number: 41, commit: Self.commit)

    #expect(frames.map(\.key) == [259])
    #expect(frames.map(\.bytes.hex) == [Self.frame.bytes.hex])
  }

  @Test func aFrameIsReadAsSpecified() throws {
    let header = try Self.frame.header()

    #expect(
      header
        == FrameHeader(
          eventCount: 2, firstPosition: Position(rawValue: 259), byteCount: 184, flags: [],
          number: 41, commit: Self.commit))
    #expect(header.lastPosition == Position(rawValue: 260))
  }

  @Test func theEventsOfAFrameAreReadAsSpecified() throws {
    let events = try Self.frame.events()

    #expect(events.map(\.position.rawValue) == [259, 260])
    #expect(events.map(\.kind) == [.promiseCreated, .promiseAbandoned])
    #expect(events.map(\.version) == [1, 1])
    #expect(events.map(\.time) == [.at(1_790_000_000_000_000_001), .at(-1)])
    #expect(events.map(\.cause) == [nil, Position(rawValue: 258)])
    #expect(events.map(\.subject) == [Self.subject(6), Self.subject(7)])
    #expect(events.map(\.session) == [Self.commit.session, Self.commit.session])
    #expect(try events[0].decode(as: PromiseCreated.self)?.typeTag == "json:Int")
    #expect(try events[1].decode(as: PromiseAbandoned.self)?.reason == "not needed")
  }

  @Test func anEventWithAnAttachmentIsPackedAsSpecified() throws {
    let payload = PromiseResolved(
      outcome: .fulfilled, resolvedAt: .at(5), idempotencyKey: "k", content: nil)
    var event = NewEvent.of(payload, on: Self.subject(6), at: .at(1))
    event.cause = Position(rawValue: 259)
    event.attachment = [UInt8](repeating: 1, count: 70_000)
    var batch = EventBatch()
    try batch.append(event)

    let specified = [UInt8](
      hex: """
        4800 2100 0100 1300 70110100 00000000 0100000000000000 0301000000000000
        0190aabbccdd7eee8fff010203040506
        0300000000000000 0500000000000000 0100 6b 0000000000
        """)
    #expect(batch.bytes.hex == specified.hex)
  }

  @Test func decodingAnEventAsAnotherKindGivesNothing() throws {
    let events = try Self.frame.events()

    #expect(try events[0].decode(as: PromiseAbandoned.self) == nil)
  }

  @Test(arguments: [0, 2, .max] as [UInt16])
  func decodingAnEventOfAnUnknownVersionIsRefused(version: UInt16) throws {
    var batch = EventBatch()
    try batch.append(.raw(.promiseConsumed, version: version, on: Self.subject(6), payload: [0]))
    let event = try batch.frames(from: Position(rawValue: 1), commit: Self.commit)[0].events()[0]

    let error = #expect(throws: LedgerError.self) { try event.decode(as: PromiseConsumed.self) }
    #expect(error?.code == .unsupportedEvent)
  }

  @Test func aChunkIsCutAsSpecified() {
    var chunks: [String] = []
    Chunk.cut(Array("hello".utf8), of: Position(rawValue: 258)) { key, chunk in
      chunks.append("\(key.hex) \(chunk.hex)")
    }

    #expect(chunks == ["000000000000010200000000 1eee28f40500000068656c6c6f"])
  }
}
