import Foundation
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// The history of a ledger that is compacted again and again, each time in a copy of its own.
struct CompactionHistory {
  let promises: [PromiseID]
  let handlers: [HandlerID]
  private let temporary: TemporaryLedger

  /// Writes promises and handlers in every state, with and without keys, some with large values.
  init(promiseCount: Int = 40) async throws {
    temporary = try TemporaryLedger()
    let ledger = try await temporary.open(configuration: Self.configuration())
    var promises: [PromiseID] = []
    for number in 0..<promiseCount {
      promises.append(try await Self.makePromise(number, in: ledger).id)
    }
    self.promises = promises
    handlers = try await Self.makeHandlers(for: promises, in: ledger)
    await ledger.close()
  }

  static func configuration() throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Note.self)
    return configuration
  }

  private static func makePromise(
    _ number: Int, in ledger: Ledger
  ) async throws -> DurablePromise<String> {
    let promise: DurablePromise<String> =
      if number % 2 == 0 {
        try await ledger.findOrCreatePromise(key: PromiseKey("key \(number)"))
      } else {
        try await ledger.createPromise(label: "promise \(number)")
      }
    guard number % 4 != 0 else { return promise }
    if number % 5 == 0 {
      try await promise.abandon(reason: "not needed")
      return promise
    }
    try await promise.fulfill(String(repeating: "x", count: number % 3 == 0 ? 9_000 : 9))
    if number % 8 > 2 { _ = try await promise.consume() }
    return promise
  }

  /// Handlers that keep promises, one that was called, and one that was withdrawn.
  private static func makeHandlers(
    for promises: [PromiseID], in ledger: Ledger
  ) async throws -> [HandlerID] {
    var handlers: [DurableHandler] = []
    for number in 0..<4 {
      let promise = try ledger.promise(id: promises[3 + 4 * number], of: String.self)
      handlers.append(
        try await ledger.createHandler(
          Note.self, ["promise": promise],
          key: number % 2 == 0 ? HandlerKey("handler \(number)") : nil, scopes: ["notes"]
        ).handler)
    }
    try await handlers[2].call()
    try await handlers[3].invalidate(reason: "over")
    return handlers.map(\.id)
  }

  /// Copies the ledger, which no process has open, to a new directory.
  func copy() throws -> CompactionCopy {
    let copy = try TemporaryLedger()
    try FileManager.default.copyItem(atPath: temporary.path, toPath: copy.path)
    return try CompactionCopy(copy, of: self)
  }
}

/// A handler that only keeps a promise.
struct Note: LedgerHandler {
  static let kind = "note"
  let promise: DurablePromise<String>

  func run(in call: HandlerCall<Void>) -> Int { 1 }
}
