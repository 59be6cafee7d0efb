import LedgerPromises
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// A ledger for all tests of a suite: a session of the app, which makes and consumes promises, one of
/// its extension, and another process, which settle them.
final class SharedLedger: Sendable {
  @TaskLocal static var current: SharedLedger?

  private let temporary: TemporaryLedger
  let app: Ledger
  private let helper: Ledger
  private let worker: WorkerProcess

  init() async throws {
    temporary = try TemporaryLedger()
    app = try await temporary.open(as: .app)
    helper = try await temporary.open(as: .appExtension)
    worker = try WorkerProcess(["serve", temporary.path, "appExtension"])
    try #require(await worker.nextLine()?.hasPrefix("opened") == true)
  }

  func close() async {
    worker.closeInput()
    _ = await worker.rest()
    await helper.close()
    await app.close()
  }

  /// Has the other session resolve a promise.
  func settleInOtherSession<Value>(
    _ promise: DurablePromise<Value>, _ outcome: Outcome<Value>
  ) async throws {
    try await helper.resolve(promise.id, with: try promise.stored(outcome))
  }

  /// Has the other process resolve a promise.
  func settleInOtherProcess<Value>(
    _ promise: DurablePromise<Value>, _ outcome: Outcome<Value>
  ) throws {
    let words: String
    switch try promise.stored(outcome) {
    case .fulfilled(let value): words = "fulfilled \(value.typeTag) \(value.bytes.hex)"
    case .rejected(let error): words = "rejected \(error.encoded.hex)"
    case .cancelled, .timedOut: words = "cancelled"
    }
    try worker.send("settle \(promise.id) \(words)")
  }
}

extension DurablePromise {
  fileprivate func stored(_ outcome: Outcome<Value>) throws -> PromiseOutcome<StoredValue> {
    switch outcome {
    case .fulfilled(let value):
      .fulfilled(StoredValue(typeTag: codec.typeTag, bytes: try codec.encode(value)))
    case .rejected(let error): .rejected(StoredError(error))
    case .cancelled(let reason): .cancelled(reason: reason.message)
    }
  }
}

extension [UInt8] {
  fileprivate var hex: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}

/// Gives a suite a ``SharedLedger``.
struct SharedLedgerTrait: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let ledger = try await SharedLedger()
    try await SharedLedger.$current.withValue(ledger) { try await function() }
    await ledger.close()
  }
}

extension Trait where Self == SharedLedgerTrait {
  static var sharedLedger: SharedLedgerTrait { SharedLedgerTrait() }
}
