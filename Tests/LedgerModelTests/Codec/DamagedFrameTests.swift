import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct DamagedFrameTests {
  private let golden = GoldenFrameTests.frame

  /// Frames with one event, several, and the largest payload.
  private static func samples() throws -> [PureLedger.StoredFrame] {
    var large = EventBatch()
    var generator = SeededGenerator(seed: 4)
    let payload = generator.bytes(EventBatch.maximumPayloadByteCount)
    try large.append(.raw(.promiseResolved, on: .numbered(1), payload: payload))
    let commit = CommitID(session: .numbered(5), number: 9)
    return [GoldenFrameTests.frame]
      + large.frames(from: Position(rawValue: .max / 2), commit: commit)
  }

  @Test func everyFlippedBitOfAFrameIsDetected() throws {
    for frame in try Self.samples() {
      var undetected: [Int] = []
      var damaged = frame
      for bit in 0..<(frame.bytes.count * 8) {
        damaged.bytes[bit / 8] ^= 1 << (bit % 8)
        if damaged.problem == nil { undetected.append(bit) }
        damaged.bytes[bit / 8] ^= 1 << (bit % 8)
      }
      #expect(undetected == [])
    }
  }

  @Test func everyFlippedBitOfAKeyIsDetected() throws {
    for frame in try Self.samples() {
      for bit in 0..<64 {
        var damaged = frame
        damaged.key ^= 1 << bit
        #expect(damaged.problem == .corrupt, "bit \(bit)")
      }
    }
  }

  @Test func everyCutFrameIsDetected() throws {
    for count in 0..<golden.bytes.count {
      let cut = PureLedger.StoredFrame(key: golden.key, bytes: Array(golden.bytes[..<count]))
      #expect(cut.problem == .corrupt, "\(count) bytes")
    }
  }

  @Test(
    arguments: [
      ("no events", 6, [0, 0]),
      ("more events than there are", 6, [3, 0]),
      ("fewer events than there are", 6, [1, 0]),
      ("65,535 events", 6, [0xFF, 0xFF]),
      ("another position", 8, [0, 0]),
      ("another length", 16, [0xB9]),
      ("an event of length 0", 48, [0, 0]),
      ("an event of length 8", 48, [8, 0]),
      ("an event whose length is not a multiple of 8", 48, [0x49, 0]),
      ("an event that passes the end", 48, [0xF8, 0xFF]),
      ("an event that ends inside the next", 48, [0x50, 0]),
      ("a payload that passes its event", 54, [0xFF, 0xFF]),
      ("a payload one byte longer than its event", 54, [0x19, 0]),
    ] as [(String, Int, [UInt8])])
  func aFrameWithAGoodChecksumAndBadContentIsDetected(
    what: String, offset: Int, bytes: [UInt8]
  ) {
    var damaged = golden
    for (index, byte) in bytes.enumerated() { damaged.bytes[offset + index] = byte }
    damaged.fixChecksum()

    #expect(damaged.problem == .corrupt)
  }

  @Test func aFrameOfAnotherLayoutIsOfANewerFormat() {
    var newer = golden
    newer.bytes[4] = 1
    newer.fixChecksum()

    #expect(newer.problem == .incompatibleFormat)
  }

  @Test(arguments: [0, .max, .max - 65_534] as [UInt64])
  func aKeyWithoutRoomForPositionsIsDetected(key: UInt64) {
    var damaged = golden
    damaged.key = key
    for index in 0..<8 {
      damaged.bytes[8 + index] = UInt8(truncatingIfNeeded: key >> (8 * UInt64(index)))
    }
    damaged.fixChecksum()

    #expect(damaged.problem == .corrupt)
  }

  /// Random bytes behind a header that is half right, with a checksum that fits.
  @Test(arguments: 0..<20 as Range<UInt64>)
  func garbageWithAGoodChecksumNeverCrashes(thousand: UInt64) {
    for seed in (thousand * 1_000)..<(thousand * 1_000 + 1_000) {
      let garbage = Self.garbage(seed: seed)
      var state = LedgerState()
      do throws(LedgerError) {
        try garbage.replay(into: &state)
      } catch {
        #expect(error.code == .corrupt || error.code == .incompatibleFormat, "seed \(seed)")
      }
    }
  }

  @Test func theGarbageReachesTheEventsOften() {
    let reached = (0..<1_000 as Range<UInt64>).count {
      (try? Self.garbage(seed: $0).header()) != nil
    }
    #expect(reached > 100)
  }

  private static func garbage(seed: UInt64) -> PureLedger.StoredFrame {
    var generator = SeededGenerator(seed: seed)
    let sizes = [0, 47, 48, 96, 104, 152, 200, 400, 4_080, 4_081]
    let size =
      generator.chance(1, of: 20)
      ? sizes.randomElement(using: &generator) ?? 48
      : 48 + 8 * Int.random(in: 6...40, using: &generator)
    var frame = PureLedger.StoredFrame(key: 1, bytes: generator.bytes(size))
    guard size >= 48 else { return frame }
    let isHeaderGood = generator.chance(4, of: 5)
    if isHeaderGood {
      let count = UInt8.random(in: 1...3, using: &generator)
      frame.bytes.replaceSubrange(4..<16, with: [0, 0, count, 0, 1, 0, 0, 0, 0, 0, 0, 0])
      frame.bytes.replaceSubrange(
        16..<20, with: [UInt8(size & 0xFF), UInt8(size >> 8), 0, 0])
    }
    // Events whose lengths fit, of a kind that may be known.
    var offset = 48
    while offset + 48 <= size, generator.chance(9, of: 10) {
      let room = (size - offset) / 8 * 8
      let length =
        generator.chance(1, of: 3)
        ? room : min(room, 48 + 8 * Int.random(in: 0...8, using: &generator))
      let kind = EventKind.all.randomElement(using: &generator) ?? .promiseCreated
      let payload = Int.random(in: 0...(length - 48), using: &generator)
      frame.bytes.replaceSubrange(
        offset..<(offset + 8),
        with: [
          UInt8(length & 0xFF), UInt8(length >> 8), UInt8(kind.rawValue), 0, 1, 0,
          UInt8(payload & 0xFF), UInt8(payload >> 8),
        ])
      offset += length
    }
    frame.fixChecksum()
    return frame
  }
}

extension PureLedger.StoredFrame {
  /// The problem that a reader of the frame finds; `nil` if there is none.
  var problem: LedgerError.Code? {
    do throws(LedgerError) {
      _ = try events()
      return nil
    } catch {
      return error.code
    }
  }

  /// Makes the checksum fit the key and the content.
  mutating func fixChecksum() {
    guard bytes.count >= 4 else { return }
    let checksum = FrameView.checksum(of: bytes.span, key: key)
    for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
  }
}
