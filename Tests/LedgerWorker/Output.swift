import Foundation
import PromiseLedger

/// Standard output, without a buffer.
enum Output {
  /// Writes a line with a bare system call: in a forked child, Foundation may wait for a lock of
  /// the Swift runtime that another thread of the parent held.
  static func line(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe write(
          STDOUT_FILENO, bytes.baseAddress.map { unsafe $0 + written }, bytes.count - written)
        guard count > 0 || errno == EINTR else { return }
        written += max(0, count)
      }
    }
  }

  /// An error that the parent may look for, in a form that it can parse.
  static func describe(_ error: any Error) -> String {
    guard let error = error as? LedgerError else { return "error other \(error)" }
    return "error \(error)".split(separator: "\n").joined(separator: " ")
  }

  static func fail(_ error: any Error) -> Never {
    line(describe(error))
    exit(1)
  }
}
