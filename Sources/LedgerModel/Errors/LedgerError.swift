/// What went wrong with a ledger, and what to do about it.
///
/// Outcomes that a correct program must expect (a promise that is already resolved, one that is
/// not there) are values, not errors. An error means that the operation did not happen, unless its
/// code is ``Code/commitOutcomeUnknown``.
public struct LedgerError: Error, Sendable {
  /// The class of the problem.
  public let code: Code

  /// What went wrong and how to mend it.
  public let message: String

  /// The error underneath, if there is one.
  public let cause: (any Error)?

  /// Where in the library the error was thrown.
  public let location: SourceLocation

  /// Makes an error located at the caller.
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
    /// The file, as `#fileID` has it.
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
