#if canImport(Testing)
  public import LedgerRuntimeTesting
  public import Testing

  /// A trait that gives each test a ledger of its own; see ``Testing/Trait/ledger``.
  public struct LedgerTrait: TestTrait, SuiteTrait, TestScoping {
    /// The place of the ledgers.
    let storage: LedgerStorage
    let maximumJumpCount: Int
    let patience: Duration

    /// Whether a suite passes the trait on to its tests: it does.
    public var isRecursive: Bool { true }

    /// Runs a test, or one argument of it, with a new ledger.
    ///
    /// - Throws: `UnnamedEvents` if no expectation follows the last `when` of the test; `PlannedFaultsLeft` if a
    ///   planned fault did not happen; any error of the test.
    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await withLedger(storage, maximumJumpCount: maximumJumpCount, patience: patience) { _ in
        try await function()
      }
    }
  }

  extension Trait where Self == LedgerTrait {
    /// Gives the test a new ledger in memory: `LedgerTester.current`.
    ///
    /// Each test of a suite and each argument of a test has its own, with a manual clock and sequential ids, so
    /// they run side by side. Afterwards, its processes are ended and it is deleted.
    ///
    /// ```swift
    /// @Test(.ledger) func aPromiseIsKept() async throws {
    ///   let app = try await LedgerTester.current.app()
    ///   let promise = try await app.ledger.createPromise(of: Int.self)
    ///   #expect(try await promise.record?.status == .pending)
    /// }
    /// ```
    ///
    /// Without the trait, `withLedger` does the same.
    public static var ledger: LedgerTrait { ledger(.memory) }

    /// Gives the test a new ledger: `LedgerTester.current`.
    ///
    /// - Parameters:
    ///   - storage: The place of the ledger: memory, or files.
    ///   - maximumJumpCount: The maximum number of times that one run of work moves the clock.
    ///   - patience: The maximum time for which a run waits for code, and a move of the clock for the effects of
    ///     deadlines, by the clock of the machine.
    public static func ledger(
      _ storage: LedgerStorage, maximumJumpCount: Int = 1_000, patience: Duration = .seconds(60)
    ) -> LedgerTrait {
      LedgerTrait(storage: storage, maximumJumpCount: maximumJumpCount, patience: patience)
    }
  }
#endif
