import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Shrinks a ledger some times, and prints the sizes each time: `shrunk BEFORE AFTER`.
///
/// At a step of the first shrink, it kills or stops itself, or fills the disk.
struct Shrink {
  private let path: String
  private let count: Int
  private let step: String?
  private let action: String?

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    count = try arguments.number("count")
    let rest = arguments.rest()
    step = rest.first
    action = rest.dropFirst().first
  }

  func run() async throws {
    FileSizeLimit.prepare()
    var configuration = LedgerConfiguration()
    configuration.writerStallTimeout = .seconds(60)
    let isDone = Flag()
    configuration.files.hooks.shrinkStep = { [step, action] reached in
      guard "\(reached)" == step, !isDone.isSet else { return }
      isDone.set()
      switch action {
      case "kill": kill(getpid(), SIGKILL)
      case "stop":
        Output.line("stopping")
        // The signal goes to this thread. Another one could go on before the process stops.
        pthread_kill(pthread_self(), SIGSTOP)
      case "fill":
        // Less than any file that is written from now on, except for pages that are free.
        do { try FileSizeLimit.set(0) } catch { Output.fail(error) }
      default: break
      }
    }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    for _ in 0..<count {
      do {
        let report = try await shrink(ledger)
        Output.line("shrunk \(report.sizeInBytesBefore) \(report.sizeInBytes)")
      } catch let error as LedgerError {
        Output.line("failed \(error.code)")
      }
      try FileSizeLimit.set(nil)
    }
    await ledger.close()
  }

  /// Waits while another process shrinks or compacts.
  private func shrink(_ ledger: Ledger) async throws -> ShrinkReport {
    while true {
      do {
        return try await ledger.shrink()
      } catch let error as LedgerError where error.code == .compactionBusy {
        await Task.yield()
      }
    }
  }
}
