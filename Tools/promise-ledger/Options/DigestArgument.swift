import ArgumentParser

/// A SHA-256 in hexadecimal digits.
struct DigestArgument: ExpressibleByArgument {
  let bytes: [UInt8]

  init?(argument: String) {
    let digits = argument.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == 64, argument.utf8.count == 64 else { return nil }
    bytes = (0..<32).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
  }
}
