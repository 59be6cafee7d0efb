/// A JSON value with exactly one written form: on one line, with members sorted by name.
enum JSONValue: Sendable {
  case string(String)
  case integer(Int64)
  case unsigned(UInt64)
  case bool(Bool)
  case strings([String])
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON.
  var description: String {
    switch self {
    case .string(let text): return Self.quoted(text)
    case .integer(let number): return String(number)
    case .unsigned(let number): return String(number)
    case .bool(let flag): return String(flag)
    case .array(let values): return "[\(values.map(\.description).joined(separator: ","))]"
    case .strings(let texts): return "[\(texts.map(Self.quoted).joined(separator: ","))]"
    case .object(let members):
      let sorted = members.sorted { $0.key < $1.key }
      return "{\(sorted.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.isTreacherous:
        for unit in String(scalar).utf16 { result += escape(unit) }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
