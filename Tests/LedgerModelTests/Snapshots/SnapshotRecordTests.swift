import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Records in pieces: all damage is noticed, at every size.
@Suite(.timeLimit(.minutes(10))) struct SnapshotRecordTests {
  static let id = EntityID.numbered(3)

  static func content(_ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  static func join(_ pieces: [[UInt8]]) throws -> SnapshotRecord.Stored {
    try SnapshotRecord.join(id, first: pieces[0]) { (number) throws(LedgerError) in
      number < pieces.count ? pieces[number] : nil
    }
  }

  @Test(arguments: [0, 1, 100, 4_071, 4_072, 4_073, 8_148, 8_149, 100_000])
  func aRecordComesBackFromItsPieces(byteCount: Int) throws {
    let content = Self.content(byteCount)
    let pieces = try SnapshotRecord.pieces(Self.id, .handler, content)
    #expect(pieces.count == SnapshotRecord.pieceCount(ofContent: byteCount))
    #expect(pieces.allSatisfy { $0.count <= 4_080 })
    let joined = try Self.join(pieces)
    #expect(joined.type == .handler)
    #expect(joined.content == content)
  }

  @Test func aRecordIsAsSpecified() throws {
    let pieces = try SnapshotRecord.pieces(Self.id, .session, [1, 2, 3])
    #expect(pieces.map(\.hex) == [[UInt8](hex: "3e4bcee1 02 00 0100 010203").hex])
  }

  @Test(arguments: [0, 60, 5_000])
  func everyFlippedBitIsNoticed(byteCount: Int) throws {
    let pieces = try SnapshotRecord.pieces(Self.id, .promise, Self.content(byteCount))
    for (number, piece) in pieces.enumerated() {
      for bit in 0..<(8 * piece.count) {
        var damaged = pieces
        damaged[number][bit / 8] ^= 1 << (bit % 8)
        #expect(throws: LedgerError.self, "bit \(bit) of piece \(number)") {
          try Self.join(damaged)
        }
      }
    }
  }

  @Test func aPieceInTheWrongPlaceIsNoticed() throws {
    let pieces = try SnapshotRecord.pieces(Self.id, .promise, Self.content(20_000))
    let others = try SnapshotRecord.pieces(.numbered(4), .promise, Self.content(20_000))
    #expect(throws: LedgerError.self) { try Self.join(others) }
    for number in 1..<pieces.count {
      var wrong = pieces
      wrong[number] = others[number]
      #expect(throws: LedgerError.self, "piece \(number)") { try Self.join(wrong) }
      wrong = pieces
      wrong.remove(at: number)
      #expect(throws: LedgerError.self, "piece \(number)") { try Self.join(wrong) }
    }
  }
}
