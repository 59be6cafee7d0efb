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

  @Test func equalWordsMeanEqualErrors() {
    let payloads = [("text", "b"), ("text b", "c"), ("text", "b c")].map { tag, text in
      StoredError.Payload(typeTag: tag, bytes: Array(text.utf8))
    }
    let errors = [
      StoredError(domain: "pay", message: "card: declined"),
      StoredError(domain: "pay: card", message: "declined"),
      StoredError(domain: "pay", message: "5: declined"),
      StoredError(domain: "pay:", code: 5, message: "declined"),
      StoredError(domain: "pay", code: 5, message: "declined"),
      StoredError(domain: "pay 5", message: "declined"),
      StoredError(domain: "pay", message: "declined (text b)"),
      StoredError(domain: "pay", message: "\"declined (text b)\""),
      StoredError(domain: "pay", message: "declined", payload: payloads[0]),
      StoredError(domain: "pay", message: "declined", payload: payloads[1]),
      StoredError(domain: "pay", message: "declined", payload: payloads[2]),
    ]
    let words = errors.map(\.allWords)
    #expect(Set(words).count == errors.count)
    #expect(words[0] == "pay: card: declined")
    #expect(words[1] == "\"pay: card\": declined")
    #expect(words[4] == "pay 5: declined")
    #expect(words[8] == "pay: declined (text b)")
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
