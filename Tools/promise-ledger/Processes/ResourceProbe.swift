import Foundation
import LedgerSystem

/// Tells a crash for want of descriptors, memory or threads from one that a damaged file caused: a
/// process that reads no ledger does what a reading one needs, under the same limits.
enum ResourceProbe {
  /// The first word of its command line.
  static let word = "@probe"

  private static let descriptorCount = 16
  private static let byteCount = 64 << 20

  /// Sentences about what a process of this program cannot have, with the advice; `nil` if it has what
  /// it needs.
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

  /// Runs in the process that reads no ledger.
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

  /// Ends in a crash if there is not so much memory.
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
  /// A refusal of the system, and what to do where that is known.
  init(_ error: SystemError) {
    let advice =
      switch error.code {
      case .tooManyOpenFiles, .tooManyFilesInSystem:
        " Close some files, or raise the limit (ulimit -n), and try again."
      case .noMemory, .wouldBlock:
        " Free memory or processes, or raise the limits (ulimit -v, ulimit -u), and try again."
      default: ""
      }
    self.init(.systemFailure, "The system refused: \(error).\(advice)")
  }
}
