import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting

/// Compacts a ledger again and again while other processes write, and prints the effects of each
/// compaction: `compacted FOLDED REMOVED DELETED`.
struct CompactAgain {
  /// The number of new events before it starts again.
  private static let eventCount: UInt64 = 40

  private let path: String
  private let archives: String
  private let count: Int

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    archives = try arguments.next("archives")
    count = try arguments.number("count")
  }

  func run() async throws {
    var configuration = LedgerConfiguration()
    configuration.writerStallTimeout = .seconds(60)
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    for _ in 0..<count {
      let report = try await compact(ledger)
      if let problem = report.problem { Output.line("problem \(problem)") }
      Output.line(
        "compacted \(report.foldedEvents) \(report.removedRecords) \(report.deletedEvents)")
      let head = try await ledger.catchUp()
      try await ledger.engine.advance(past: Position(rawValue: head.rawValue + Self.eventCount))
    }
    await ledger.close()
  }

  /// Waits while another process compacts.
  private func compact(_ ledger: Ledger) async throws -> CompactionReport {
    while true {
      do {
        return try await ledger.compact(.everything(archivedIn: archives))
      } catch let error as LedgerError where error.code == .compactionBusy {
        try await ledger.engine.advance(past: try await ledger.catchUp())
      }
    }
  }
}
