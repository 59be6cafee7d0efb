import Foundation
import PromiseLedger
import PromiseLedgerTesting

/// The other process of ``PowerTrial``: writes to a ledger, and ends in the midst of a call, without closing
/// the ledger.
struct PowerHelper {
  private let path: String

  init(_ path: String) { self.path = path }

  func run() async throws {
    let configuration = try PowerSession.configuration(
      ManualLedgerClock(), instance: "process"
    ) { TellingDiary(ledger: "main") }
    let session = try await PowerSession(at: path, as: .appExtension, configuration)
    for number in 70..<78 {
      try await session.writePromise(number, byteCount: number % 2 == 0 ? 20 : 6_000)
    }
    try await session.beginEndlessCall()
    withExtendedLifetime(session) { exit(0) }
  }
}
