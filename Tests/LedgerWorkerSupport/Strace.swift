import Foundation
import LedgerSystem

/// The tracer of system calls.
package enum Strace {
  package static let path = "/usr/bin/strace"

  /// Whether it is installed and may trace: some containers forbid that.
  package static let isUsable: Bool = {
    guard FileManager.default.isExecutableFile(atPath: path),
      let child = try? ChildProcess([path, "-o", "/dev/null", "/bin/true"], environment: [])
    else { return false }
    return waitForEnd(child) == .exited(0)
  }()
}

private func waitForEnd(_ child: ChildProcess) -> ChildProcess.Ending { child.wait() }
