/// Code of the model that is given bytes of any kind, together with the rules that hold whatever they are.
///
/// A target must refuse invalid bytes with an error, and must never end the process.
package enum FuzzTarget: String, CaseIterable, Sendable {
  /// A frame, as a store reads it. Its checksum is mended first, or no change would get past it.
  case frames
  /// The payload of one event.
  case payloads
  /// Events of a few subjects, which the reducer applies.
  case histories
  /// The content of a record in the snapshot.
  case records
  /// Texts from users: ids, keys, digests, stored errors.
  case texts

  /// Gives bytes to the code.
  ///
  /// - Throws: ``FuzzFinding`` if a rule does not hold.
  package func run(_ bytes: [UInt8]) throws(FuzzFinding) {
    switch self {
    case .frames: try FrameRules.check(bytes)
    case .payloads: try PayloadRules.check(bytes)
    case .histories: try HistoryRules.check(bytes)
    case .records: try RecordRules.check(bytes)
    case .texts: try TextRules.check(bytes)
    }
  }
}

/// A rule that does not hold for some bytes.
package struct FuzzFinding: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Checks a rule.
  package static func unless(
    _ holds: Bool, _ description: @autoclosure () -> String
  ) throws(FuzzFinding) {
    guard holds else { throw FuzzFinding(description()) }
  }
}
