import PromiseLedger

/// Creates, resolves and consumes promises without end, several at a time, and prints the
/// acknowledged steps: `C`, `R` or `K` and the promise's id.
struct Churn {
  private static let taskCount = 6

  private let path: String
  private let instance: String
  private let seed: Int
  private let acknowledgesBeforeCommit: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    instance = try arguments.next("instance")
    seed = try arguments.number("seed")
    acknowledgesBeforeCommit = arguments.has("acknowledges-before-commit")
  }

  func run() async throws {
    var configuration = LedgerConfiguration()
    configuration.instance = instance
    #if DEBUG
      configuration.hooks.acknowledgesBeforeCommit = acknowledgesBeforeCommit
    #endif
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    Output.line("opened \(ledger.session)")
    try await withThrowingTaskGroup { group in
      for index in 0..<Self.taskCount {
        group.addTask { try await live(in: ledger, index) }
      }
      try await group.waitForAll()
    }
  }

  private func live(in ledger: Ledger, _ index: Int) async throws {
    var number = seed &+ index
    while true {
      number += Self.taskCount
      let promise = try await create(in: ledger, isShared: index % 2 == 0)
      // Now and then a value that does not fit into a frame.
      let size = number % 7 == 0 ? 9_000 : 24
      let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
      if case .resolved = try await promise.fulfill(value) { Output.line("R \(promise.id)") }
      if number % 5 == 0 { continue }
      do {
        _ = try await promise.consume()
        Output.line("K \(promise.id)")
      } catch let error as LedgerError where error.code == .alreadyConsumed {
        continue
      }
    }
  }

  /// A promise of its own, or one that other processes may create, resolve and consume too.
  private func create(in ledger: Ledger, isShared: Bool) async throws -> DurablePromise<[UInt8]> {
    guard isShared else {
      let promise = try await ledger.createPromise(of: [UInt8].self)
      Output.line("C \(promise.id)")
      return promise
    }
    let window = SystemLedgerClock().now().nanosecondsSinceEpoch / 5_000_000
    let key = try PromiseKey("shared/\(window)")
    switch try await ledger.createPromiseIfAbsent(key: key, of: [UInt8].self) {
    case .created(let promise):
      Output.line("C \(promise.id)")
      return promise
    case .deduplicated(let promise, _):
      return promise
    case .conflict:
      throw UsageError(what: "a request that repeats itself was taken for another")
    }
  }
}
