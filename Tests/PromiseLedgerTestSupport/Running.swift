package import PromiseLedger

/// Runs `body` while runners run, and stops them at its end.
package func running<R: Sendable>(
  _ runners: LedgerRunner..., body: () async throws -> R
) async throws -> R {
  let tasks = runners.map { runner in Task { try await runner.run() } }
  let result: R
  do {
    result = try await body()
  } catch {
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    throw error
  }
  for task in tasks { task.cancel() }
  for task in tasks { try await task.value }
  return result
}

/// Waits until a record of a promise satisfies a condition, looking at each change of the ledger.
package func record(
  of id: PromiseID, in ledger: Ledger, where condition: (PromiseRecord) -> Bool
) async throws -> PromiseRecord {
  for try await _ in ledger.events() {
    if let record = try await ledger.record(of: id), condition(record) { return record }
  }
  throw LedgerError(.closed, "The ledger was closed.")
}
