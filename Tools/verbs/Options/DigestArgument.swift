import ArgumentParser

/// A SHA-256 in hexadecimal digits.
struct DigestArgument: ExpressibleByArgument {
  let bytes: [UInt8]

  init?(argument: String) {
    let digits = argument.compactMap(\.hexDigitValue)
    guard digits.count == 64, argument.utf8.count == 64 else { return nil }
    bytes = (0..<32).map { (index: Int) -> UInt8 in
      UInt8(digits[2 * index] * 16 + digits[2 * index + 1])
    }
  }
}
