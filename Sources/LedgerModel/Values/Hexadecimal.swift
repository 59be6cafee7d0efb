extension [UInt8] {
  /// The bytes as lower-case hexadecimal digits, two per byte.
  package var hexadecimal: String {
    String(decoding: hexadecimalDigits, as: UTF8.self)
  }

  /// The same digits as ASCII bytes.
  var hexadecimalDigits: [UInt8] {
    flatMap { [($0 >> 4).hexadecimalDigit, ($0 & 0xF).hexadecimalDigit] }
  }

  /// Parses lower-case digits, two per byte; `nil` if they are invalid.
  package init?(hexadecimalDigits: some Collection<UInt8>) {
    guard hexadecimalDigits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in hexadecimalDigits {
      let value: UInt8
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = digit - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): value = digit - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    self = bytes
  }
}

extension UInt8 {
  /// The lower-case digit of a number below 16, in ASCII.
  var hexadecimalDigit: UInt8 {
    self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "a") + self - 10
  }
}
