import LedgerModelTestSupport
import LedgerTestSupport
import Testing

@testable import LedgerModel

/// Keys are in the order of their bytes, as LMDB has them.
@Suite(.timeLimit(.minutes(10))) struct KeyOrderTests {
  @Test func theOrderIsThatOfTheBytes() {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<20_000 {
      // Few different bytes, so that many keys begin alike.
      let keys = (0..<2).map { _ in
        (0..<Int.random(in: 0...20, using: &generator)).map { _ in
          [0, 1, 0x80, 0xFF].randomElement(using: &generator) ?? UInt8(0)
        }
      }
      #expect(keys[0].precedes(keys[1]) == keys[0].lexicographicallyPrecedes(keys[1]), "\(keys)")
    }
  }
}
