import LedgerPostgreSQLTestSupport
import PromiseLedgerPostgreSQL
import Testing

/// What the commits of a session tell its own listener.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct NewsTests {
  private let proxied: TestProxy

  init() throws {
    proxied = try TestServer.shared.get().makeProxy()
  }

  /// A session that looks by itself only after the end of a test, once it has looked for the first time: when the
  /// connection is there that hears of commits.
  private func openLedger() async throws -> Ledger {
    let trips = Recorder<String>()
    proxied.proxy.setPlan { trip in
      trips.add(trip.text)
      return .passes
    }
    var configuration = LedgerConfiguration()
    configuration.pollInterval = .seconds(3_600)
    let ledger = try await Ledger.open(proxied.place(), as: .app, configuration: configuration)
    let listens = { (trip: String) in trip.contains("LISTEN") }
    let looks = { (trip: String) in trip.contains("READ ONLY") }
    while !trips.all.drop(while: { !listens($0) }).contains(where: looks) {
      try await Task.sleep(for: .milliseconds(1))
    }
    return ledger
  }

  @Test func aSessionDoesNotLookForItsOwnCommits() async throws {
    let ledger = try await openLedger()
    let views = Recorder<String>()
    proxied.proxy.setPlan { trip in
      if trip.text.contains("READ ONLY") { views.add(trip.text) }
      return .passes
    }
    for _ in 0..<50 {
      _ = try await ledger.createPromise(of: Int.self)
      // Enough for the listener to look once.
      try await Task.sleep(for: .milliseconds(10))
    }
    // The look before may have been that of the opening; then one is still to come.
    #expect(views.all.count < 5)
    await ledger.close()
  }

  @Test(.timeLimit(.minutes(1)))
  func aSessionHearsOfItsOwnDeadlines() async throws {
    let ledger = try await openLedger()
    for _ in 0..<10 { _ = try await ledger.createPromise(of: Int.self) }
    var promises: [DurablePromise<Int>] = []
    for delay in [50, 100, 150] {
      promises.append(
        try await ledger.createPromise(of: Int.self, deadline: ledger.now + .milliseconds(delay)))
    }
    for promise in promises { #expect(try await promise.outcome == .timedOut) }
    await ledger.close()
  }
}
