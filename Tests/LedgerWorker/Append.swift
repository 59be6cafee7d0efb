import PromiseLedger

/// Opens a ledger that may be damaged, adds a promise with a key, resolves and consumes it, and
/// prints the position of each acknowledged event.
struct Append {
  private let path: String
  private let key: String

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    key = try arguments.next("key")
  }

  func run() async throws {
    let ledger = try await Ledger.open(at: path, as: .app)
    let key = try PromiseKey(key)
    let promise = try await ledger.findOrCreatePromise(key: key, of: String.self)
    try await say(ledger, key) { $0.created }
    try await promise.fulfill(String(repeating: "value ", count: 1_500))
    try await say(ledger, key) { $0.resolved }
    _ = try await promise.consume()
    try await say(ledger, key) { $0.consumed }
    await ledger.close()
  }

  private func say(
    _ ledger: Ledger, _ key: PromiseKey, _ trace: (PromiseRecord) -> PromiseRecord.Trace?
  ) async throws {
    guard let record = try await ledger.record(forKey: key), let trace = trace(record) else {
      throw UsageError(what: "no record of what was acknowledged")
    }
    Output.line("acknowledged \(trace.position)")
  }
}
