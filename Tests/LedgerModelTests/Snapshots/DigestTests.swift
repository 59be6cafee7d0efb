import LedgerBytes
import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct DigestTests {
  @Test func theStateDigestIsTheSumOfHashes() {
    var digest = StateDigest.empty
    #expect(digest.bytes == [UInt8](repeating: 0, count: 32))
    digest.add(.promise, .numbered(1), [7, 8])
    let hash = SHA256Hasher.hash(of: [1] + EntityID.numbered(1).bytes + [7, 8])
    #expect(digest.bytes == hash)
    digest.addTombstone(.numbered(2))
    let tombstone = SHA256Hasher.hash(of: [0] + EntityID.numbered(2).bytes)
    #expect(digest.bytes == Self.sum(hash, tombstone))
  }

  private static func sum(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] {
    var carry = 0
    return zip(left, right).map {
      carry += Int($0) + Int($1)
      defer { carry >>= 8 }
      return UInt8(carry & 255)
    }
  }

  @Test func theStateDigestDependsOnTheContentAndNotOnTheOrder() {
    var forwards = StateDigest.empty
    var backwards = StateDigest.empty
    for number in 0..<1_000 { forwards.add(.promise, .numbered(number), [UInt8(number & 255)]) }
    for number in (0..<1_000).reversed() {
      backwards.add(.promise, .numbered(number), [UInt8(number & 255)])
    }
    #expect(forwards == backwards)
    for number in 0..<1_000 { forwards.remove(.promise, .numbered(number), [UInt8(number & 255)]) }
    #expect(forwards == .empty)
    #expect(StateDigest(bytes: backwards.bytes) == backwards)
  }

  @Test func theLogDigestDoesNotDependOnFrames() throws {
    var writer = RandomLedger(seed: 1)
    for _ in 0..<20 { writer.writeGroup() }
    var digest = LogDigest.start
    var expected = [UInt8](repeating: 0, count: 32)
    for frame in writer.ledger.frames {
      let view = try FrameView(checking: frame.bytes.span, key: frame.key)
      let commit = view.header.commit
      view.forEachEventWithoutFailing { event in
        digest.append(event, of: commit, attachment: [9])
        var input = expected
        input.appendLittleEndian(event.position.rawValue)
        input += commit.session.entityID.bytes
        input.appendLittleEndian(commit.number)
        input.append(contentsOf: event.record)
        expected = SHA256Hasher.hash(of: input + [9])
      }
      #expect(digest.bytes == expected)
    }
    #expect(digest.description.count == 64)
  }
}

extension FrameView {
  fileprivate func forEachEventWithoutFailing(_ body: (borrowing EventView) -> Void) {
    try? forEachEvent { event throws(LedgerError) in body(event) }
  }
}
