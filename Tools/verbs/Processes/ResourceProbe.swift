import Foundation
package import LedgerSystem

/// Distinguishes a crash for lack of descriptors, memory or threads from one that a damaged file
/// caused. A process that does not read a ledger uses the same resources as one that does, under
/// the same limits.
enum ResourceProbe {
  /// The first word of its command line.
  static let word = "@probe"

  private static let descriptorCount = 16
  private static let byteCount = 64 << 20

  /// Sentences about the resources that a process of this program cannot get, with advice; `nil` if
  /// it gets all that it needs.
  static var lack: String? {
    do {
      let child = try ChildProcess(
        ReadingChild.commandLine(word: word),
        environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
          + ["SWIFT_BACKTRACE=enable=no"])
      var said: [UInt8] = []
      while case let bytes = child.read(), !bytes.isEmpty { said += bytes }
      switch child.wait() {
      case .exited(Status.fine.rawValue): return nil
      case .exited where !said.isEmpty: return String(decoding: said, as: UTF8.self)
      case .exited, .signalled:
        return
          "A process that reads no ledger fails, too. Free memory, or raise the limits (ulimit -a), and try again."
      }
    } catch {
      return
        "No other process can be started: \(error). Raise the limits (ulimit -a), and try again."
    }
  }

  /// Runs in the process that does not read a ledger.
  static func run() -> Status {
    do {
      var readers: [Reader] = []
      for _ in 0..<descriptorCount { readers.append(try Reader()) }
      _ = try SystemThread.start(name: "probe") {}
      return withExtendedLifetime(readers) { touchMemory() }
    } catch {
      let failure = Status.Failure(error)
      try? StandardOutput.writeNow(Data((failure.message ?? "").utf8))
      return failure.status
    }
  }

  /// Crashes if there is not enough memory.
  private static func touchMemory() -> Status {
    let bytes = [UInt8](repeating: 1, count: byteCount)
    return bytes.last == 1 ? .fine : .systemFailure
  }

  private final class Reader {
    private let file: FileReader

    init() throws(SystemError) { file = try FileReader("/dev/null") }
  }
}

extension Status.Failure {
  /// An error of the system, with advice where there is some.
  package init(_ error: SystemError) {
    let advice =
      switch error.code {
      case .tooManyOpenFiles, .tooManyFilesInSystem:
        " Close some files, or raise the limit (ulimit -n), and try again."
      case .noMemory, .wouldBlock:
        " Free memory or processes, or raise the limits (ulimit -v, ulimit -u), and try again."
      default: ""
      }
    self.init(.systemFailure, "A system call failed: \(error).\(advice)")
  }
}
