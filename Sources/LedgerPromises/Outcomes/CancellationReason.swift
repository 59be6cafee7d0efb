/// The reason why a promise was cancelled, in words.
///
/// ```swift
/// download.cancel("the user left the page")
/// ```
public struct CancellationReason: Sendable, ExpressibleByStringLiteral {
  /// The reason in words.
  public let message: String

  /// An error that came on top of the cancellation, such as the failure of a clean-up that
  /// ``Promise/ensureAsync(on:file:line:_:)`` ran.
  public let attachedError: (any Error)?

  /// Makes a reason.
  public init(_ message: String, attachedError: (any Error)? = nil) {
    self.message = message
    self.attachedError = attachedError
  }

  /// Makes a reason from a literal.
  public init(stringLiteral value: String) {
    self.init(value)
  }

  /// The reason used when none is given.
  public static let unspecified = CancellationReason("cancelled")

  /// The reason of a promise whose Swift task was cancelled, or whose body threw `CancellationError`.
  public static let taskCancelled = CancellationReason("the task was cancelled")
}

extension CancellationReason: Equatable {
  /// Reasons are equal if they say the same and have attached errors of the same text.
  public static func == (left: CancellationReason, right: CancellationReason) -> Bool {
    left.message == right.message
      && left.attachedError.map { "\($0)" } == right.attachedError.map { "\($0)" }
  }
}

extension CancellationReason: CustomStringConvertible {
  public var description: String {
    attachedError.map { "\(message); clean-up failed: \($0)" } ?? message
  }
}
