package import PromiseLedger

/// Ledgers to compact, and policies for it.
package enum CompactionSample {
  /// Lets everything go that may go.
  package static let everything: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    policy.recordRetention = .zero
    return policy
  }()

  /// Folds and deletes all events, and keeps all records.
  package static let events: CompactionPolicy = {
    var policy = everything
    policy.recordRetention = nil
    return policy
  }()

  package static func configuration(_ instance: String = "main") -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    configuration.automaticCompaction = nil
    return configuration
  }

  /// Promises that are pending, resolved, consumed and abandoned, with and without keys.
  package static func fill(_ ledger: Ledger, _ count: Int) async throws -> [PromiseID] {
    var ids: [PromiseID] = []
    for number in 0..<count {
      let promise: DurablePromise<String>
      if number % 2 == 0 {
        promise = try await ledger.findOrCreatePromise(key: try PromiseKey("key \(number)"))
      } else {
        promise = try await ledger.createPromise(label: "promise \(number)")
      }
      ids.append(promise.id)
      guard number % 4 != 0 else { continue }
      try await promise.fulfill(String(repeating: "x", count: number % 3 == 0 ? 9_000 : 9))
      if number % 8 > 2 { _ = try await promise.consume() }
    }
    return ids
  }

  package static func records(_ ledger: Ledger, _ ids: [PromiseID]) async throws -> [PromiseRecord?]
  {
    var records: [PromiseRecord?] = []
    for id in ids { records.append(try await ledger.record(of: id)) }
    return records
  }
}
