import Foundation
import LedgerBytes
import LedgerTestSupport
import PromiseLedgerTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SHA256HashTests {
  @Test(arguments: ["SHA256ShortMsg", "SHA256LongMsg"])
  func theMessagesOfNISTHaveTheirHashes(file: String) throws {
    let vectors = try SHA256Vectors(file)
    let messages = vectors["Msg"]
    let hashes = vectors["MD"]
    #expect(messages.count == hashes.count)
    #expect(messages.count > 60)
    for ((message, length), expected) in zip(zip(messages, vectors["Len"]), hashes) {
      let bytes = try bytes(message).prefix(#require(Int(length)) / 8)
      #expect(hexadecimal(hash(of: Array(bytes)).bytes) == expected, "\(length) bits")
    }
  }

  /// SHA-256 Validation System of NIST, 6.4: each of 100 rounds hashes the concatenation of the
  /// last three hashes a thousand times, beginning with the result of the round before.
  @Test func theMonteCarloTestOfNISTHasItsHashes() throws {
    let vectors = try SHA256Vectors("SHA256Monte")
    let expected = vectors["MD"]
    #expect(expected.count == 100)
    var seed = try bytes(#require(vectors["Seed"].first))
    for (round, expected) in expected.enumerated() {
      var last = [seed, seed, seed]
      for _ in 0..<1_000 { last = [last[1], last[2], hash(of: last[0] + last[1] + last[2]).bytes] }
      seed = last[2]
      #expect(hexadecimal(seed) == expected, "round \(round)")
    }
  }

  /// The frame of an async function has no room for a higher alignment, and is written past its end.
  @Test func aHashCanLieInTheFrameOfAnAsyncFunction() {
    #expect(MemoryLayout<SHA256Hash>.alignment <= 16)
    #expect(MemoryLayout<SHA256Hash>.size == SHA256Hash.byteCount)
  }

  @Test func instructionsAndPlainCAgreeOnAnyBlocks() {
    var generator = SeededGenerator(seed: 5)
    for count in 0..<40 {
      let blocks = (0..<64 * count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
      var state = (0..<8).map { _ in UInt32.random(in: .min ... .max, using: &generator) }
      var other = state
      SHA256Blocks.add(blocks.span, to: &state)
      SHA256Blocks.addPortably(blocks.span, to: &other)
      #expect(state == other, "\(count) blocks")
    }
  }

  @Test func piecesOfEveryLengthGiveTheHashOfTheWhole() {
    let bytes = (0..<260).map { UInt8(truncatingIfNeeded: 31 * $0) }
    let whole = hash(of: bytes)
    for first in 0...130 {
      for second in [0, 1, 55, 56, 63, 64, 65, 128, 130] {
        var hasher = SHA256Hasher()
        hasher.update(bytes.span.extracting(..<first))
        hasher.update(bytes.span.extracting(first..<min(first + second, 260)))
        hasher.update(bytes.span.extracting(min(first + second, 260)...))
        #expect(hasher.finish() == whole, "\(first) and \(second) bytes first")
      }
    }
  }

  @Test func aCopyGoesOnByItself() {
    var first = SHA256Hasher()
    first.update(UInt8(1))
    var second = first
    second.update(UInt8(2))
    #expect(first.finish() == hash(of: [1]))
    #expect(second.finish() == hash(of: [1, 2]))
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

  private func bytes(_ hexadecimal: String) throws -> [UInt8] {
    let digits = try hexadecimal.map { try #require($0.hexDigitValue) }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

/// A file of test vectors as NIST publishes them: lines of names and values.
private struct SHA256Vectors {
  private var lines: [(name: String, value: String)] = []

  init(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "Vectors/\(name).rsp")
    for line in try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: " = ")
      if parts.count == 2 { lines.append((String(parts[0]), String(parts[1]))) }
    }
  }

  /// The values of a name, in the order of the file.
  subscript(name: String) -> [String] { lines.filter { $0.name == name }.map(\.value) }
}
