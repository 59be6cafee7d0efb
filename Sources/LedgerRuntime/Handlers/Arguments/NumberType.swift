/// A numeric type, identified by its type tag.
enum NumberType: Sendable, Hashable {
  case integer(isSigned: Bool, bitWidth: Int)
  case float
  case double

  /// The numeric type with a type tag, or `nil` if the type is not numeric.
  init?(typeTag: String) {
    switch typeTag {
    case "float": self = .float
    case "double": self = .double
    default:
      let isSigned = !typeTag.hasPrefix("u")
      switch isSigned ? typeTag : String(typeTag.dropFirst()) {
      case "int8": self = .integer(isSigned: isSigned, bitWidth: 8)
      case "int16": self = .integer(isSigned: isSigned, bitWidth: 16)
      case "int32": self = .integer(isSigned: isSigned, bitWidth: 32)
      case "int": self = .integer(isSigned: isSigned, bitWidth: 64)
      default: return nil
      }
    }
  }

  /// Whether the other type can represent every number of this type.
  func widens(to other: NumberType) -> Bool {
    guard case .integer(let isSigned, let bitWidth) = self,
      case .integer(let otherIsSigned, let otherBitWidth) = other
    else { return self == other }
    if isSigned == otherIsSigned { return bitWidth <= otherBitWidth }
    return !isSigned && bitWidth < otherBitWidth
  }

  /// Whether this type can represent an integer exactly.
  func holds(_ number: Int) -> Bool {
    switch self {
    case .float: Float(exactly: number) != nil
    case .double: Double(exactly: number) != nil
    case .integer(true, 64): true
    case .integer(false, 64): number >= 0
    case .integer(true, let bitWidth):
      (-(1 << (bitWidth - 1))..<(1 << (bitWidth - 1))).contains(number)
    case .integer(false, let bitWidth): (0..<(1 << bitWidth)).contains(number)
    }
  }
}

extension StoredArgument {
  /// Whether the value is acceptable for a parameter of a type. The types that accept it are its own type,
  /// every wider integer type, and, because an integer literal is an `Int`, for an `Int` every numeric type
  /// that can represent its value.
  func mayStand(for wanted: String) -> Bool {
    if typeTag == wanted { return true }
    guard let wanted = NumberType(typeTag: wanted), let actual = NumberType(typeTag: typeTag)
    else { return false }
    return actual.widens(to: wanted) || literal.map(wanted.holds) ?? false
  }

  /// The number, if it has the type of an integer literal.
  var literal: Int? {
    typeTag == "int" ? Int(String(decoding: payload, as: UTF8.self)) : nil
  }
}
