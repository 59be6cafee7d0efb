import LedgerTestSupport
package import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting

/// A ledger on which processes make histories.
package protocol HistoryPlace: Sendable {
  /// Starts a process, which opens the ledger.
  func start(_ name: String, as role: String, seed: Int) throws -> WorkerProcess

  /// Is called before each history; what disturbs the processes may begin.
  func prepare(_ history: Int)
}

/// A ledger in files.
struct HistoryFiles: HistoryPlace {
  private let temporary: TemporaryLedger
  private let flags: [String]

  init(flags: [String]) async throws {
    self.flags = flags
    temporary = try TemporaryLedger(in: Scratch.path)
    await (try temporary.open()).close()
  }

  func start(_ name: String, as role: String, seed: Int) throws -> WorkerProcess {
    try WorkerProcess(["histories", temporary.path, name, role, "\(seed)"] + flags)
  }

  func prepare(_ history: Int) {}
}
