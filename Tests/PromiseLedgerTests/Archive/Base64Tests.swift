import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

@Suite(.timeLimit(.minutes(10)))
struct Base64Tests {
  /// The vectors of RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func vectorsOfTheStandard(content: String, text: String) {
    var written: [UInt8] = []
    Base64.append(Array(content.utf8), to: &written)
    #expect(String(decoding: written, as: UTF8.self) == text)
    #expect(Base64.decode(Array(text.utf8)[...]) == Array(content.utf8))
  }

  @Test(arguments: [
    "Zg=", "Zg", "Zh==", "Zm9=", "====", "Z===", "Zm8=Zm8=", "Zm 8", "Zm9v\n", "Zm-_",
  ])
  func otherSpellingsAreRefused(text: String) {
    #expect(Base64.decode(Array(text.utf8)[...]) == nil)
  }
}
