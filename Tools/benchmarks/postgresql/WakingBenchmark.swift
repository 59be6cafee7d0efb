import LedgerMeasuring
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL

/// What it costs to tell other processes of commits, and how soon they hear of them.
enum WakingBenchmark {
  /// Creations in 32 ledgers at once, by sessions that tell others of their commits and by sessions that do not.
  static func run(_ report: inout Report, on server: BenchmarkServer) async throws {
    let silent = try await sessions(server, tells: false)
    let telling = try await sessions(server, tells: true)
    for ledgers in [silent, telling] { _ = try await creations(ledgers) }
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<5 {
      let without = try await creations(silent)
      let with = try await creations(telling)
      rates.append(with)
      ratios.append(with / without)
    }
    report.add(
      "32 ledgers with waking, times without", ratios.median, .atLeast(0.85),
      "\(rounded(rates.median)) commits/s")
    for ledger in silent + telling { await ledger.close() }
  }

  private static func sessions(_ server: BenchmarkServer, tells: Bool) async throws -> [Ledger] {
    var ledgers: [Ledger] = []
    for _ in 0..<32 {
      var place = try server.place()
      place.tellsOfCommits = tells
      ledgers.append(try await server.open(place))
    }
    return ledgers
  }

  /// The creations a second of one caller for each ledger.
  private static func creations(_ ledgers: [Ledger]) async throws -> Double {
    try await withThrowingTaskGroup(of: Double.self) { group in
      for ledger in ledgers {
        group.addTask {
          try await Rate.measure(tasks: 1, for: .seconds(2)) {
            _ = try await ledger.createPromise(of: Void.self)
          }.perSecond
        }
      }
      return try await group.reduce(0, +)
    }
  }

  /// The time between the answer to a session that settles a promise and that to one, as in another process, that
  /// awaits it.
  static func runWakeUp(_ report: inout Report, on server: BenchmarkServer) async throws {
    let place = try server.place()
    let writer = try await server.open(place)
    // A process has one connection for all sessions with the same settings.
    let other = try PostgreSQLLedger(
      place.name, on: "\(server.server.connection()) application_name=other",
      schema: TestServer.schema)
    let waiter = try await server.open(other, as: .appExtension)
    var delays: [Double] = []
    for _ in 0..<200 {
      let promise = try await writer.createPromise(of: Int.self)
      let awaited = try waiter.promise(id: promise.id, of: Int.self)
      // Once it has read the promise, it waits for changes.
      _ = try await awaited.record
      async let heard = Self.moment { _ = try await awaited.outcome }
      try await Task.sleep(for: .milliseconds(5))
      try await promise.fulfill(1)
      let told = MonotonicClock.now
      delays.append(max(.zero, try await heard - told).inMicroseconds / 1_000)
    }
    report.add(
      "wake-up of another process, median, in milliseconds", delays.median, .atMost(10),
      "90 %: \(rounded(delays.quantile(0.9))) ms")
    await writer.close()
    await waiter.close()
  }

  /// The time at which `body` is done.
  private static func moment(_ body: @Sendable () async throws -> Void) async throws -> Duration {
    try await body()
    return MonotonicClock.now
  }
}
