/// Stored bytes as text: unchanged if they are UTF-8, otherwise in hexadecimal digits.
struct ContentText {
  let text: String
  private let isHexadecimal: Bool

  init(_ bytes: [UInt8]) {
    let decoded = String(validating: bytes, as: UTF8.self)
    text = decoded ?? bytes.hexadecimal
    isHexadecimal = decoded == nil
  }

  /// The name of a JSON object's member, which shows which of the two it is.
  func jsonName(for name: String) -> String { isHexadecimal ? "\(name)InHex" : name }

  /// The text in a line of a table.
  var words: String {
    isHexadecimal ? "bytes \(text.clipped)" : text.clipped.escapingControlCharacters
  }
}

extension String {
  /// The beginning of a text that is too long for a line of a table.
  var clipped: String {
    let limit = 80
    let beginning = clipped(to: limit)
    return beginning.unicodeScalars.count < unicodeScalars.count ? beginning + "..." : self
  }

  /// The first scalars of a text. One character may consist of millions of them, stacked on one
  /// another.
  func clipped(to count: Int) -> String {
    String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }
}

extension [UInt8] {
  /// Two digits a byte.
  var hexadecimal: String {
    let digits = [UInt8]("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 0xF)]] }, as: UTF8.self)
  }
}
