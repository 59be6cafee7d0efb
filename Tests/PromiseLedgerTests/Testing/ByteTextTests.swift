import LedgerModel
import Testing

@testable import LedgerRuntimeTesting

/// Bytes in the words of expectations.
@Suite(.timeLimit(.minutes(1)))
struct ByteTextTests {
  @Test func equalTextMeansEqualBytes() {
    let texts = ["", "[255]", "bytes [255]", "text", "text bytes [255]", "text text bytes [255]"]
    let values = texts.map { Array($0.utf8) } + [[255], [255, 254]]
    #expect(Set(values.map(\.asText)).count == values.count)
    #expect(Array("text".utf8).asText == "text")
    #expect([UInt8]([255]).asText == "bytes [255]")
  }

  @Test func canonicallyEquivalentTextIsOtherText() throws {
    let (composed, decomposed) = (
      EventLine.Fact("label", "\u{E9}"), EventLine.Fact("label", "e\u{301}")
    )
    let line = EventLine(
      kind: .promiseCreated, subject: EntityID(high: 0, low: 1), facts: [composed])
    #expect(line.says(composed) && !line.says(decomposed))
  }
}
