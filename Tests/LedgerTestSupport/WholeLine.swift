import Foundation

/// Lines on standard output, without a buffer.
package enum WholeLine {
  /// Writes a line with a bare system call: in a forked child, Foundation may wait for a lock of
  /// the Swift runtime that another thread of the parent held.
  package static func print(_ text: String) {
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
}
