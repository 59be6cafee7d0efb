import ArgumentParser
import Foundation
import LedgerRuntime

/// A value on the command line.
enum JSONArgument {
  /// - Throws: `ValidationError` if the text is not JSON.
  static func check(_ text: String) throws {
    let bytes = Data(text.utf8)
    guard (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil else {
      throw ValidationError("The value is not JSON.")
    }
  }

  /// The outcome that a value means for a promise.
  ///
  /// - Throws: ``Status/Failure`` if the promise cannot have such a value.
  static func outcome(
    _ text: String, for record: PromiseRecord
  ) throws -> PromiseOutcome<StoredValue> {
    switch record.typeTag {
    case "void":
      guard text == "null" else {
        throw Status.Failure(.usage, "The promise has no value. Give --value null.")
      }
      return .fulfilled(StoredValue(typeTag: record.typeTag, bytes: []))
    case "bytes":
      throw Status.Failure(
        .usage, "The promise has a value of the type bytes, which is not JSON. Resolve it in code.")
    default:
      guard fits(text, record.typeTag) else {
        throw Status.Failure(
          .usage, "The promise has the type \(record.typeTag), and the value is not of that type.")
      }
      return .fulfilled(StoredValue(typeTag: record.typeTag, bytes: Array(text.utf8)))
    }
  }

  /// Types that every program encodes alike, by their names in ledgers.
  private static let types: [Substring: any (Decodable & Sendable).Type] = [
    "bool": Bool.self, "string": String.self, "double": Double.self, "float": Float.self,
    "int": Int.self, "int8": Int8.self, "int16": Int16.self, "int32": Int32.self,
    "uint": UInt.self, "uint8": UInt8.self, "uint16": UInt16.self, "uint32": UInt32.self,
  ]

  /// Whether a program can read the text as a value of a type, as far as the type is known here.
  private static func fits(_ text: String, _ typeTag: String) -> Bool {
    let isOptional = typeTag.last == "?"
    guard let type = types[typeTag.dropLast(isOptional ? 1 : 0)] else { return true }
    if isOptional, text == "null" { return true }
    return (try? JSONDecoder().decode(type, from: Data(text.utf8))) != nil
  }
}
