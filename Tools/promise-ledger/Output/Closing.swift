/// What ends the output of a command that cannot end it by itself.
struct Closing: Equatable {
  /// What makes the output whole if somebody interrupts the command.
  var interrupted: String
  /// What makes the output whole, and says that it is incomplete, if the command can read no further.
  var incomplete: String

  /// Of output that is whole as it is.
  static let none = Closing(interrupted: "", incomplete: "")
}

extension Closing {
  private static let separator: UInt8 = 0

  /// Both texts, for another process.
  var encoded: [UInt8] { interrupted.utf8 + [Self.separator] + incomplete.utf8 }

  /// `nil` if the bytes are none of ``encoded``.
  init?(decoding bytes: [UInt8]) {
    guard let end = bytes.firstIndex(of: Self.separator) else { return nil }
    self.init(
      interrupted: String(decoding: bytes[..<end], as: UTF8.self),
      incomplete: String(decoding: bytes[(end + 1)...], as: UTF8.self))
  }
}
