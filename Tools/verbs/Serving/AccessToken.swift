#if Serve
  /// The word without which the server shows nothing. It stands in the address that the command prints.
  struct AccessToken: Sendable {
    private static let byteCount = 32

    /// 256 bits of the system's generator, in hexadecimal digits.
    let text: String

    init() {
      var generator = SystemRandomNumberGenerator()
      let digits = Array("0123456789abcdef")
      text = (0..<Self.byteCount).reduce(into: "") { text, _ in
        let byte = UInt8.random(in: 0...255, using: &generator)
        text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }

    /// Whether a text is the token. The time that this takes does not tell how much of it fits.
    func matches(_ candidate: String) -> Bool {
      let (own, other) = (Array(text.utf8), Array(candidate.utf8))
      guard own.count == other.count else { return false }
      return zip(own, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif
