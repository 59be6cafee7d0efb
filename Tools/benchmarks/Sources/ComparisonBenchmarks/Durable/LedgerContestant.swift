import PromiseLedger

/// The ledger, as an app uses it.
struct LedgerContestant: DurableContestant {
  let ledger: Ledger
  let executor: (any TaskExecutor)?

  /// - Parameter isOnWriter: Whether the callers run on the thread that commits.
  init(at directory: String, isOnWriter: Bool) async throws {
    ledger = try await Ledger.open(at: directory + "/ledger", as: .app)
    executor = isOnWriter ? ledger.taskExecutor : nil
  }

  func create() async throws { _ = try await ledger.createPromise(of: String.self) }

  func cycle() async throws {
    let promise = try await ledger.createPromise(of: String.self)
    try await promise.fulfill("a value of some length")
    _ = try await promise.consume()
  }

  func close() async { await ledger.close() }
}
