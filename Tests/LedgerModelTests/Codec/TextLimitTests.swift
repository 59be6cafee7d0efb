import LedgerModelTestSupport
import Testing

@testable import LedgerModel

@Suite(.timeLimit(.minutes(10))) struct TextLimitTests {
  @Test(arguments: [
    "a", String(repeating: "k", count: 512), String(repeating: "é", count: 256),
    String(repeating: "中", count: 170) + "ab", String(repeating: "😀", count: 128), " ", "a b/c:d",
    "\u{200B}", "\u{A0}", "👩‍👩‍👧‍👦", "e\u{301}",
  ])
  func aKeyWithinItsBoundsIsTaken(text: String) throws {
    #expect(try PromiseKey(text).text == text)
    #expect(try IdempotencyKey(text).text == text)
  }

  @Test(arguments: [
    "", String(repeating: "k", count: 513), String(repeating: "é", count: 256) + "a",
    String(repeating: "中", count: 171), String(repeating: "😀", count: 129),
  ])
  func aKeyOutOfItsBoundsIsRefused(text: String) {
    let error = #expect(throws: LedgerError.self) { try PromiseKey(text) }
    #expect(error?.code == .invalidArgument)
    let other = #expect(throws: LedgerError.self) { try IdempotencyKey(text) }
    #expect(other?.code == .invalidArgument)
  }

  @Test(arguments: Array(0...0x1F) + Array(0x7F...0x9F) as [UInt8])
  func aKeyWithAControlCharacterIsRefused(character: UInt8) {
    let text = "a\(UnicodeScalar(character))b"

    let error = #expect(throws: LedgerError.self) { try PromiseKey(text) }
    #expect(error?.code == .invalidArgument)
  }

  @Test func theRefusedCharactersAreTheCategoryCcOfUnicode() {
    for scalar in (0..<0x3000).compactMap(Unicode.Scalar.init) {
      let isTaken = (try? PromiseKey(String(scalar))) != nil
      guard isTaken == (scalar.properties.generalCategory == .control) else { continue }
      Issue.record("U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test func aControlCharacterInsideAClusterIsRefused() {
    #expect(throws: LedgerError.self) { try PromiseKey("a\r\nb") }
  }

  struct Bounds: Sendable {
    let name: String
    let limit: TextLimit
    let range: ClosedRange<Int>
  }

  static let bounds = [
    Bounds(name: "promise key", limit: .promiseKey, range: 1...512),
    Bounds(name: "idempotency key", limit: .idempotencyKey, range: 1...512),
    Bounds(name: "label", limit: .label, range: 0...256),
    Bounds(name: "tag", limit: .tag, range: 1...64),
    Bounds(name: "value type tag", limit: .typeTag, range: 1...128),
    Bounds(name: "reason", limit: .reason, range: 0...2_048),
    Bounds(name: "instance name", limit: .instance, range: 1...128),
    Bounds(name: "error domain", limit: .errorDomain, range: 0...256),
  ]

  @Test(arguments: bounds)
  func aTextIsTakenFromItsMinimumToItsMaximum(bounds: Bounds) throws {
    try bounds.limit.check(String(repeating: "x", count: bounds.range.lowerBound))
    try bounds.limit.check(String(repeating: "x", count: bounds.range.upperBound))
  }

  @Test(arguments: bounds)
  func aTextOneByteOutOfItsBoundsIsRefusedByName(bounds: Bounds) {
    var counts = [bounds.range.upperBound + 1]
    if bounds.range.lowerBound > 0 { counts.append(bounds.range.lowerBound - 1) }
    for count in counts {
      let error = #expect(throws: LedgerError.self, "\(count) bytes") {
        try bounds.limit.check(String(repeating: "x", count: count))
      }
      #expect(error?.code == .invalidArgument, "\(count) bytes")
      #expect(
        error?.message.contains("The \(bounds.name) has \(count) bytes") == true, "\(count) bytes")
    }
  }

  @Test func theLargestCreationFitsIntoAnEvent() {
    func text(_ limit: TextLimit) -> String {
      String(repeating: "x", count: limit.maximumByteCount)
    }
    let creation = PromiseCreated(
      typeTag: text(.typeTag), key: text(.promiseKey), label: text(.label),
      tags: Array(repeating: text(.tag), count: TextLimit.maximumTagCount), deadline: .at(0),
      idempotencyKey: text(.idempotencyKey))

    #expect(creation.encoded.count <= EventBatch.maximumPayloadByteCount)
  }

  @Test func theLongestReasonFitsIntoAnEvent() {
    let reason = String(repeating: "x", count: TextLimit.reason.maximumByteCount)

    #expect(PromiseAbandoned(reason: reason).encoded.count <= EventBatch.maximumPayloadByteCount)
  }
}
