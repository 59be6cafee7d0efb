import LedgerSystem
import Testing

@Suite struct SHA256HashTests {
  struct Vector: Sendable {
    var text: String
    var hash: String
  }

  /// FIPS 180-2, appendix B, and the hash of nothing.
  static let published = [
    Vector(
      text: "abc", hash: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    Vector(
      text: "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      hash: "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    Vector(text: "", hash: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ]

  @Test(arguments: published)
  func publishedVectorsAreReproduced(vector: Vector) {
    #expect(hexadecimal(hash(of: Array(vector.text.utf8)).bytes) == vector.hash)
  }

  @Test func bytesAndWordsAreHashedAsTheyWouldLieInAFile() {
    let bytes = (0..<1 + 16 + 64 + 100).map { UInt8(truncatingIfNeeded: 37 * $0) }
    var hasher = SHA256Hasher()
    hasher.update(bytes[0])
    hasher.update(SIMD2(word(bytes, 1), word(bytes, 9)))
    var words = SIMD8<UInt64>.zero
    for index in words.indices { words[index] = word(bytes, 17 + 8 * index) }
    hasher.update(words)
    hasher.update(bytes.span.extracting(81...))
    let nothing: [UInt8] = []
    hasher.update(nothing.span)
    #expect(hasher.finish() == hash(of: bytes))
  }

  @Test func aHashIsMadeAgainOfItsBytes() {
    let hash = hash(of: [1, 2, 3])
    #expect(SHA256Hash(bytes: hash.bytes.span) == hash)
    #expect(SHA256Hash.zeros.bytes == [UInt8](repeating: 0, count: 32))
  }

  private func hash(of bytes: [UInt8]) -> SHA256Hash {
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    return hasher.finish()
  }

  private func word(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
    bytes[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
