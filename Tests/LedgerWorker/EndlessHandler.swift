import PromiseLedger
import Synchronization

/// A handler whose calls do not end by themselves.
struct EndlessHandler: LedgerHandler {
  static let kind = "endless"
  /// Told when a call has begun.
  static let begun = Mutex<AsyncStream<Void>.Continuation?>(nil)

  func run(in call: HandlerCall<Void>) async throws -> Int {
    Self.begun.withLock { _ = $0?.yield(()) }
    // Ends only when the task is cancelled.
    for await _ in AsyncStream<Void>.makeStream().stream {}
    throw CancellationError()
  }

  /// Leaves a call that was given back, because the session froze.
  static func callWithoutEnd(_ handler: DurableHandler, in ledger: Ledger) async throws {
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    Self.begun.withLock { $0 = continuation }
    let call = Task { try await handler.call() }
    for await _ in begun { break }
    try await ledger.freeze()
    try await ledger.unfreeze()
    call.cancel()
    _ = await call.result
  }
}
