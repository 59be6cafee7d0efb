import PromiseLedger
import PromiseLedgerTesting

/// Runs all work that `make-errands` made to its end, and prints the outcomes: `end-errands PATH ID...`.
struct EndErrands {
  private let path: String
  private let ids: [String]

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    ids = arguments.rest()
  }

  func run() async throws {
    // All times of the work come within days or months.
    let clock = ManualLedgerClock(start: .now)
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.automaticCompaction = nil
    try configuration.handlers.register(Errand.self) { .ending }
    try configuration.handlers.register(Errand.Chore.self) { .ending }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    let runner = try PacedRunner(ledger)
    while true {
      for record in try await ledger.openWork() where record.work?.state == .parked {
        try await ledger.retryWork(record.id)
      }
      let outlook = try await runner.runDue()
      // Outcomes that must be consumed are open, too.
      guard try await ledger.openWork().contains(where: { $0.status == .pending }) else { break }
      guard let next = outlook.nextTime else {
        try await runner.advance(past: outlook.position)
        continue
      }
      clock.advance(by: max(.nanoseconds(1), next - clock.now()))
    }
    await runner.stop()
    for id in ids { Output.line(try await outcome(id, in: ledger)) }
    await ledger.close()
    Output.line("ended")
  }

  private func outcome(_ text: String, in ledger: Ledger) async throws -> String {
    guard let id = PromiseID(text), let record = try await ledger.record(of: id) else {
      return "\(text) lost"
    }
    guard case .fulfilled(let value)? = record.outcome else {
      return "\(text) \(record.outcomeKind.map { "\($0)" } ?? "\(record.status)")"
    }
    let decoded = try PayloadCodec<String>.standard().decode(value.bytes)
    let isPadded = decoded == (record.label ?? "").padded
    return "\(text) fulfilled:\(isPadded ? record.label ?? "" : decoded)"
  }
}
