import LedgerMeasuring
import PromiseLedgerPostgreSQL

/// Work that is created, started and finished, against a table of jobs.
enum QueueBenchmark {
  /// Code that does nothing.
  private struct Nothing: LedgerWork {
    static let kind = "nothing"
    func run(in call: WorkCall<Void>) async throws {}
  }

  static func run(_ report: inout Report, on server: BenchmarkServer) async throws {
    let ledger = try await server.open(server.place()) { configuration in
      try configuration.handlers.register(Nothing.self)
    }
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    _ = try await jobs(ledger)
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<3 {
      let plain = try server.yardstick(BenchmarkServer.job, clients: 16, seconds: 3)
      let own = try await jobs(ledger)
      rates.append(own)
      ratios.append(own / plain.perSecond)
    }
    report.add(
      "create, start and finish, times a SKIP LOCKED queue", ratios.median, .atLeast(5),
      "\(rounded(rates.median)) jobs/s by 512 callers, the queue by 16 clients")
    runner.cancel()
    try await runner.value
    await ledger.close()
  }

  private static func jobs(_ ledger: Ledger) async throws -> Double {
    try await Rate.measure(tasks: 512, for: .seconds(3)) {
      try await ledger.start(Nothing()).consume()
    }.perSecond
  }
}
