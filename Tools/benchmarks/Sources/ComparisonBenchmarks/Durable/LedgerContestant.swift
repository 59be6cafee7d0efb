import PromiseLedger

/// The ledger, as an app uses it.
struct LedgerContestant: DurableContestant {
  let ledger: Ledger

  init(at directory: String) async throws {
    ledger = try await Ledger.open(at: directory + "/ledger", as: .app)
  }

  func create() async throws { _ = try await ledger.createPromise(of: String.self) }

  func cycle() async throws {
    let promise = try await ledger.createPromise(of: String.self)
    try await promise.fulfill("a value of some length")
    _ = try await promise.consume()
  }

  func close() async { await ledger.close() }
}
