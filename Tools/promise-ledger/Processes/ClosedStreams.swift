import Foundation
import LedgerSystem

/// The descriptors 0, 1 and 2, which every program takes for its input, output and errors, where
/// whoever started this process had closed them.
enum ClosedStreams {
  /// Keeps their numbers from files that are opened later: what is written to a closed output would go
  /// into such a file, and that may be a ledger's.
  ///
  /// Call it before anything is opened. A closed stream gets `/dev/null`, opened the wrong way round:
  /// to use it stays an error.
  static func occupy() {
    // A file gets the lowest number that is free, so the order matters.
    let ways = [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    for (descriptor, way) in ways where fcntl(descriptor, F_GETFD) == -1 {
      // Without /dev/null there is nothing better.
      guard (try? Descriptor.open("/dev/null", way)) != nil else { return }
    }
  }
}
