/// The end of the output of a command that cannot write it itself.
package struct Closing: Equatable {
  /// The text that completes the output if the command is interrupted.
  var interrupted: String
  /// The text that completes the output, and says that it is incomplete, if the command can read no
  /// further.
  var incomplete: String

  /// For output that is complete as it is.
  static let none = Closing(interrupted: "", incomplete: "")
}

extension Closing {
  private static let separator: UInt8 = 0

  /// Both texts, for another process.
  var encoded: [UInt8] { interrupted.utf8 + [Self.separator] + incomplete.utf8 }

  /// `nil` if the bytes are not an ``encoded`` closing.
  init?(decoding bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: Self.separator) else { return nil }
    self.init(
      interrupted: String(decoding: bytes[..<end], as: UTF8.self),
      incomplete: String(decoding: bytes[(end + 1)...], as: UTF8.self))
  }
}
