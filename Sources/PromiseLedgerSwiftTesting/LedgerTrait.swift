#if canImport(Testing)
  public import LedgerRuntimeTesting
  public import Testing

  /// A trait that gives each test a ledger of its own; see ``Testing/Trait/ledger``.
  public struct LedgerTrait: TestTrait, SuiteTrait, TestScoping {
    /// The place of the ledgers.
    let storage: LedgerStorage

    /// Whether a suite passes the trait on to its tests: it does.
    public var isRecursive: Bool { true }

    /// Runs a test, or one argument of it, with a new ledger.
    ///
    /// - Throws: ``UnnamedEvents`` if no expectation follows the last `when` of the test; any error of it.
    public func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await withLedger(storage) { _ in try await function() }
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
    /// - Parameter storage: The place of the ledger: memory, or files.
    public static func ledger(_ storage: LedgerStorage) -> LedgerTrait {
      LedgerTrait(storage: storage)
    }
  }
#endif
