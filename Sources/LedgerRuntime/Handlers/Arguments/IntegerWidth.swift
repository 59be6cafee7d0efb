/// The range of an integer type, as its type tag tells.
struct IntegerWidth: Sendable, Hashable {
  let isSigned: Bool
  let bitWidth: Int

  /// The width of the integers with a type tag, or `nil` if they are no integers.
  init?(typeTag: String) {
    switch typeTag {
    case "int8": self.init(isSigned: true, bitWidth: 8)
    case "int16": self.init(isSigned: true, bitWidth: 16)
    case "int32": self.init(isSigned: true, bitWidth: 32)
    case "int": self.init(isSigned: true, bitWidth: 64)
    case "uint8": self.init(isSigned: false, bitWidth: 8)
    case "uint16": self.init(isSigned: false, bitWidth: 16)
    case "uint32": self.init(isSigned: false, bitWidth: 32)
    case "uint": self.init(isSigned: false, bitWidth: 64)
    default: return nil
    }
  }

  private init(isSigned: Bool, bitWidth: Int) {
    self.isSigned = isSigned
    self.bitWidth = bitWidth
  }

  /// Whether every number of this width is one of the other, too.
  func fits(into other: IntegerWidth) -> Bool {
    if isSigned == other.isSigned { return bitWidth <= other.bitWidth }
    return !isSigned && bitWidth < other.bitWidth
  }
}
