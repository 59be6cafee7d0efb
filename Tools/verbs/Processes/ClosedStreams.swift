import Foundation
import LedgerSystem

/// The descriptors 0, 1 and 2, which every program takes for its input, output and errors, if this
/// process was started with them closed.
enum ClosedStreams {
  /// Keeps their numbers from being given to files that are opened later. Otherwise data for a
  /// closed output would go into such a file, which may be a ledger's.
  ///
  /// Call it before anything is opened. A closed stream gets `/dev/null`, opened in the wrong
  /// direction, so that using it remains an error.
  static func occupy() {
    // A file gets the lowest free number, so the order matters.
    let ways = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    for (descriptor, way) in ways where fcntl(descriptor, F_GETFD) == -1 {
      // Without /dev/null there is nothing better.
      guard (try? Descriptor.open("/dev/null", way)) != nil else { return }
    }
  }
}
