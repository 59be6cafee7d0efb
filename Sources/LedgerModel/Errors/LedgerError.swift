/// An error of a ledger, with a message that explains how to fix it.
///
/// Outcomes that a correct program must expect, such as a promise that is already resolved or does not exist,
/// are values, not errors. An error means that the operation did not happen, unless its code is
/// ``Code/commitOutcomeUnknown``.
public struct LedgerError: Error, Sendable {
  /// The class of the problem.
  public let code: Code

  /// A message that describes the problem and how to fix it.
  public let message: String

  /// The underlying error, if there is one.
  public let cause: (any Error)?

  /// The place in the library where the error was thrown.
  public let location: SourceLocation

  /// Creates an error located at the caller.
  public init(
    _ code: Code,
    _ message: String,
    cause: (any Error)? = nil,
    function: String = #function,
    file: String = #fileID,
    line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    location = SourceLocation(function: function, file: file, line: line)
  }

  /// A place in source code.
  public struct SourceLocation: Sendable, Hashable {
    /// The function's name.
    public let function: String
    /// The file, in the form of `#fileID`.
    public let file: String
    /// The line, from 1.
    public let line: Int
  }
}

extension LedgerError: CustomStringConvertible {
  /// One line: code, message and cause.
  public var description: String {
    guard let cause else { return "\(code): \(message)" }
    return "\(code): \(message) (\(cause))"
  }
}

extension LedgerError: CustomDebugStringConvertible {
  /// A tree of several lines: code, reason, cause and location.
  public var debugDescription: String {
    var lines = ["LedgerError: \(code)", "├─ Reason: \(message)"]
    if let cause { lines.append("├─ Cause: \(cause)") }
    lines.append("└─ Location: \(location.function) (\(location.file):\(location.line))")
    return lines.joined(separator: "\n")
  }
}
