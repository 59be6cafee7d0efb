/// The bounds of a text that a caller passes and an event stores.
package struct TextLimit: Sendable {
  let name: String
  let minimumByteCount: Int
  let maximumByteCount: Int

  package static let promiseKey = TextLimit("promise key", 1...PromiseKey.maximumByteCount)
  package static let idempotencyKey = TextLimit(
    "idempotency key", 1...IdempotencyKey.maximumByteCount)
  package static let label = TextLimit("label", 0...256)
  package static let tag = TextLimit("tag", 1...64)
  package static let typeTag = TextLimit("value type tag", 1...128)
  package static let reason = TextLimit("reason", 0...2_048)
  package static let instance = TextLimit("instance name", 1...128)
  package static let errorDomain = TextLimit("error domain", 0...256)
  package static let handlerKind = TextLimit("handler kind", 1...128)
  package static let handlerKey = TextLimit("handler key", 1...HandlerKey.maximumByteCount)
  package static let scope = TextLimit("scope", 1...64)
  package static let argumentName = TextLimit("argument name", 1...128)
  package static let stepName = TextLimit("step name", 1...128)
  package static let stepKey = TextLimit("step key", 1...128)
  package static let lane = TextLimit("lane name", 1...WorkLane.maximumNameByteCount)

  /// The maximum number of tags of a promise.
  package static let maximumTagCount = 16

  /// The maximum number of scopes of a handler.
  package static let maximumScopeCount = 16

  private init(_ name: String, _ range: ClosedRange<Int>) {
    self.name = name
    minimumByteCount = range.lowerBound
    maximumByteCount = range.upperBound
  }

  /// Checks that a text is within the bounds and has no control character (category Cc).
  package func check(_ text: String) throws(LedgerError) {
    let count = text.utf8.count
    guard count >= minimumByteCount, count <= maximumByteCount else {
      throw LedgerError(
        .invalidArgument,
        "The \(name) has \(count) bytes of UTF-8; it must have \(minimumByteCount) to \(maximumByteCount). Choose one that fits."
      )
    }
    guard !text.unicodeScalars.contains(where: \.isControl) else {
      throw LedgerError(
        .invalidArgument, "The \(name) has a control character; remove or replace it.")
    }
  }

  /// The text with spaces in place of control characters, truncated if it is too long.
  package func fitting(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { $0.isControl ? " " : $0 }
    return String(String.UnicodeScalarView(scalars)).cut(toByteCount: maximumByteCount)
  }
}

extension Unicode.Scalar {
  /// Whether the category is Cc, whose members Unicode guarantees never to change.
  fileprivate var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }
}

extension String {
  /// The longest prefix of whole characters that has at most `count` bytes of UTF-8.
  package func cut(toByteCount count: Int) -> String {
    guard utf8.count > count else { return self }
    var result = ""
    for character in self {
      guard result.utf8.count + character.utf8.count <= count else { break }
      result.append(character)
    }
    return result
  }
}
