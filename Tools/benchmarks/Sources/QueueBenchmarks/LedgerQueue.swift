import PromiseLedger

/// Work of a ledger that does nothing, and a runner in the same process.
final class LedgerQueue: Sendable {
  private struct Nothing: LedgerWork {
    static let kind = "nothing"
    func run(in call: WorkCall<Void>) async throws {}
  }

  private let ledger: Ledger
  private let runner: Task<Void, any Error>

  init(at path: String) async throws {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Nothing.self)
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    self.ledger = ledger
    runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
  }

  /// Tasks that each start work and wait until it is done, until the time is over.
  ///
  /// - Returns: The amount of work that was done.
  func run(tasks: Int, for duration: Duration) async throws -> Int {
    let clock = ContinuousClock()
    let end = clock.now + duration
    return try await withThrowingTaskGroup(of: Int.self) { [ledger] group in
      for _ in 0..<tasks {
        group.addTask {
          var count = 0
          while clock.now < end {
            try await ledger.start(Nothing()).consume()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }

  func close() async throws {
    runner.cancel()
    try await runner.value
    await ledger.close()
  }
}
