/// The range of an integer type, as its type tag tells.
struct IntegerWidth: Sendable, Hashable {
  let isSigned: Bool
  let bitWidth: Int

  /// The width of the integers with a type tag, or `nil` if they are no integers.
  init?(typeTag: String) {
    isSigned = !typeTag.hasPrefix("u")
    let name = isSigned ? typeTag : String(typeTag.dropFirst())
    switch name {
    case "int8": bitWidth = 8
    case "int16": bitWidth = 16
    case "int32": bitWidth = 32
    case "int": bitWidth = 64
    default: return nil
    }
  }

  /// Whether every number of this width is one of the other, too.
  func fits(into other: IntegerWidth) -> Bool {
    if isSigned == other.isSigned { return bitWidth <= other.bitWidth }
    return !isSigned && bitWidth < other.bitWidth
  }
}
