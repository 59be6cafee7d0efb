import PromiseLedger
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

struct NightlyReport: LedgerWork {
  static let kind = "nightly-report"
  let night: Timestamp

  func run(in call: WorkCall<Office>) async throws {
    try await call.step("report") { _ in try await call.context.report(on: night) }
    try await call.step("next night") { _ in
      try await NightlyReport.start(night + .seconds(86_400), in: call.ledger)
    }
  }

  static func start(_ night: Timestamp, in ledger: Ledger) async throws {
    let key = try PromiseKey("nightly/\(night.description.prefix(10))")
    try await ledger.start(NightlyReport(night: night), key: key, at: night)
  }
}

extension Office {
  fileprivate func report(on night: Timestamp) async throws {
    notes.add("report \(night.description.prefix(10))")
  }
}

/// The code about repeating work, run word for word.
@Suite(.timeLimit(.minutes(5)))
struct RepeatingWorkArticleTests {
  private let office = Office(notes: Notes())

  private func handlers() throws -> HandlerRegistry {
    let office = office
    var handlers = HandlerRegistry()
    try handlers.register(NightlyReport.self) { office }
    return handlers
  }

  @Test func aReportIsMadeEachNight() async throws {
    try await withLedger { tester in
      let worker = try await tester.worker(handlers())
      let tonight = tester.clock.now() + .seconds(9_000)
      for _ in 0..<2 { try await NightlyReport.start(tonight, in: worker.ledger) }
      for _ in 0..<3 {
        try await tester.runDue(worker)
        tester.clock.advance(by: .seconds(86_400))
      }
      #expect(office.notes.lines == ["report 2026-01-01", "report 2026-01-02"])
      #expect(try await worker.ledger.openWork().map(\.key) == ["nightly/2026-01-03"])
    }
  }
}
