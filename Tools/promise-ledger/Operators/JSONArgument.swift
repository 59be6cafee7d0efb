import ArgumentParser
import Foundation
import PromiseLedger

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
      return .fulfilled(StoredValue(typeTag: record.typeTag, bytes: Array(text.utf8)))
    }
  }
}
