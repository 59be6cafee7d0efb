/// Reads and writes bytes as hexadecimal digits.
extension [UInt8] {
  /// The bytes of hexadecimal digits; spaces and line ends between them are left out.
  package init(hex: String) {
    let digits = hex.compactMap(\.hexDigitValue)
    self = stride(from: 0, to: digits.count - 1, by: 2).map {
      UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
  }

  package var hex: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
