package import LedgerTestSupport

extension SeededGenerator {
  package mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      var word = next()
      for _ in 0..<min(8, count - bytes.count) {
        bytes.append(UInt8(truncatingIfNeeded: word))
        word >>= 8
      }
    }
    return bytes
  }

  /// Text of 1-byte to 4-byte characters, no control characters.
  package mutating func text(_ count: Int) -> String {
    let alphabet = Array("abc XYZ/0189-äßЖ中😀")
    return String((0..<count).map { _ in alphabet.randomElement(using: &self) ?? "a" })
  }

  package mutating func chance(_ part: Int, of whole: Int) -> Bool {
    Int.random(in: 0..<whole, using: &self) < part
  }
}
