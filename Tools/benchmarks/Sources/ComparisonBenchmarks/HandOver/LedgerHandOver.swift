import PromiseLedger

/// The ledger wakes the other process.
struct LedgerHandOver: HandOverContestant {
  private let ledger: Ledger

  init(at directory: String) async throws {
    ledger = try await Ledger.open(at: directory + "/ledger", as: .appExtension)
  }

  func make() async throws -> String {
    try await ledger.createPromise(of: String.self).id.description
  }

  func resolve(_ name: String) async throws {
    try await promise(name).fulfill("a value of some length")
  }

  func wait(for name: String) async throws { _ = try await promise(name).outcome }

  private func promise(_ name: String) throws -> DurablePromise<String> {
    guard let id = PromiseID(name) else { throw UnexpectedEnd() }
    return try ledger.promise(id: id, of: String.self)
  }

  func close() async { await ledger.close() }
}
