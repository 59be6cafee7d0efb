import LedgerRuntime

extension LedgerTester {
  @TaskLocal private static var scoped: LedgerTester?

  /// The tester of the innermost ``withLedger(_:clock:maximumJumpCount:patience:_:)`` around the calling code.
  ///
  /// - Throws: `LedgerError` with `invalidArgument` if there is none.
  public static var current: LedgerTester {
    get throws(LedgerError) {
      guard let scoped else {
        throw LedgerError(
          .invalidArgument,
          "This code has no tester. Call it inside withLedger, or give the test the trait ledger.")
      }
      return scoped
    }
  }

  /// Calls `body`, in which this tester is ``current``, and ends the processes afterwards.
  func withScope<R: Sendable>(_ body: (LedgerTester) async throws -> R) async throws -> R {
    try await Self.$scoped.withValue(self) {
      do {
        let result = try await body(self)
        try requireNamedEvents()
        try requirePlannedFaults()
        await close()
        return result
      } catch {
        await close()
        throw error
      }
    }
  }
}

/// Makes a ledger for a test, calls `body` with its tester, and then ends its processes and deletes it.
///
/// ```swift
/// try await withLedger { tester in
///   let app = try await tester.app()
///   let promise = try await app.ledger.createPromise(of: Int.self)
///   try await tester.when { try await promise.fulfill(1) }
///     .then(.promiseResolved(promise, .fulfilled(1)))
/// }
/// ```
///
/// - Parameters:
///   - storage: The place of the ledger. By default, it is in memory.
///   - clock: The clock of all processes.
///   - maximumJumpCount: The maximum number of times that one run moves the clock.
///   - patience: The maximum time for which a run waits for code, and a move of the clock for the effects of
///     deadlines, by the clock of the machine.
///   - body: The test. Inside, ``LedgerTester/current`` is the tester.
/// - Throws: ``UnnamedEvents`` if the last `when` of `body` has no expectation; ``PlannedFaultsLeft`` if a planned
///   fault did not happen; any error of `body`.
public func withLedger<R: Sendable>(
  _ storage: LedgerStorage = .memory, clock: ManualLedgerClock = ManualLedgerClock(),
  maximumJumpCount: Int = 1_000, patience: Duration = .seconds(60),
  _ body: (LedgerTester) async throws -> R
) async throws -> R {
  let tester = LedgerTester(
    storage, clock: clock, maximumJumpCount: maximumJumpCount, patience: patience)
  return try await tester.withScope(body)
}
