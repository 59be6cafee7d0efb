import LedgerMeasuring
import LedgerSystem
import PromiseLedgerPostgreSQL

/// Callers that each create one durable promise after the other, against clients that insert one row after the other.
enum CallerBenchmark {
  private static let rounds = 5

  static func runOne(_ report: inout Report, on server: BenchmarkServer) async throws {
    let ledger = try await server.open(server.place())
    _ = try await latencies(ledger, for: .seconds(1))
    var ratios: [Double] = []
    var medians: [Double] = []
    for _ in 0..<rounds {
      let plain = try server.yardstick(BenchmarkServer.insertion, clients: 1, seconds: 2)
      let own = try await latencies(ledger, for: .seconds(2))
      medians.append(own.median)
      ratios.append(own.median / plain.latencies.median)
    }
    report.add(
      "one caller, median, times a one-row insert", ratios.median, .atMost(1.5),
      "\(rounded(medians.median)) us")
    await ledger.close()
  }

  static func runMany(_ report: inout Report, on server: BenchmarkServer) async throws {
    let ledger = try await server.open(server.place())
    _ = try await creations(ledger)
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<rounds {
      let plain = try server.yardstick(BenchmarkServer.insertion, clients: 16, seconds: 2)
      let own = try await creations(ledger)
      rates.append(own)
      ratios.append(own / plain.perSecond)
    }
    report.add(
      "64 callers, events, times rows of 16 clients", ratios.median, .atLeast(4),
      "\(rounded(rates.median)) events/s")
    await ledger.close()
  }

  private static func creations(_ ledger: Ledger) async throws -> Double {
    try await Rate.measure(tasks: 64, for: .seconds(2)) {
      _ = try await ledger.createPromise(of: Void.self)
    }.perSecond
  }

  /// The latencies of creations by one caller, in microseconds.
  static func latencies(_ ledger: Ledger, for duration: Duration) async throws -> [Double] {
    let end = MonotonicClock.now + duration
    var latencies: [Double] = []
    while MonotonicClock.now < end {
      let latency = try await timeAsync { _ = try await ledger.createPromise(of: Void.self) }
      latencies.append(latency.inMicroseconds)
    }
    return latencies
  }
}
