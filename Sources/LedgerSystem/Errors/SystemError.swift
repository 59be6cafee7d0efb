import LedgerLibC

/// A failed system call: its name, the file that it worked on, and the reason.
package struct SystemError: Error, Hashable, Sendable {
  /// The reason for the failure.
  package var code: Code
  /// The name of the C function, such as `open`.
  package var operation: String
  /// The file or directory it worked on, if any.
  package var path: String?

  package init(_ code: Code, _ operation: String, path: String? = nil) {
    self.code = code
    self.operation = operation
    self.path = path
  }

  /// The error of the C call that has just returned -1 on this thread.
  package static func last(_ operation: String, path: String? = nil) -> SystemError {
    SystemError(Code(rawValue: errno), operation, path: path)
  }

  /// Throws if a C function that returns 0 or an `errno` code returned a code.
  static func check(
    _ result: Int32, _ operation: String, path: String? = nil
  ) throws(SystemError) {
    if result != 0 { throw SystemError(Code(rawValue: result), operation, path: path) }
  }
}

extension SystemError: CustomStringConvertible {
  /// One line, such as `open "/x": no such file or directory (ENOENT)`.
  package var description: String {
    let subject = path.map { "\(operation) \"\($0)\"" } ?? operation
    return "\(subject): \(code)"
  }
}
