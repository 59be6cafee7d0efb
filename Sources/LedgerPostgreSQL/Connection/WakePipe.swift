import LedgerLibC

/// Wakes a thread that waits for a connection.
package final class WakePipe: Sendable {
  private let readEnd: Int32
  private let writeEnd: Int32

  /// - Throws: An error if the process has too many open files.
  package init() throws(PostgreSQLError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw PostgreSQLError(
        .connecting, "No pipe can be opened: the process has too many open files.")
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  var descriptor: Int32 { readEnd }

  /// Ends the current wait, or the next one. Signals coalesce.
  package func signal() {
    var byte: UInt8 = 1
    // A full pipe wakes just as well.
    _ = unsafe write(writeEnd, &byte, 1)
  }

  /// Takes all signals.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while unsafe read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
