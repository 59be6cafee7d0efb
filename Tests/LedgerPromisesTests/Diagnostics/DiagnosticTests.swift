import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Each diagnostic, with the place that created the promise.
@Suite(.timeLimit(.minutes(10))) struct DiagnosticTests {
  init() {
    DiagnosticRecorder.install()
  }

  @Test func aDroppedResolverIsReportedAndRejects() async throws {
    let promise = Promise.make(of: Int.self).promise
    #expect(code(try await promise.settlement()) == .abandoned)
    #expect(DiagnosticRecorder.kinds(line: #line - 2) == ["pendingPromiseDropped"])
  }

  @Test func aDroppedCallbackIsReportedAndRejects() async throws {
    let manual = ManualPromiseExecutor()
    let promise = Promise.value(1, on: manual.executor).map { $0 }
    #expect(manual.count == 1)
    manual.shutDown()
    #expect(code(try await promise.settlement()) == .executorGone)
    #expect(DiagnosticRecorder.kinds(line: #line - 4) == ["pendingPromiseDropped"])
  }

  @Test func aGateOfATestThatWasPassedIsNotReported() async throws {
    try await withLedger { tester in
      let app = try await tester.app()
      let gate = FaultGate()
      gate.open()
      // The second operation passes a gate that the first one has reached.
      try tester.plan([.delay(.append, until: gate), .delay(.append, number: 2, until: gate)])
      for _ in 0..<2 { _ = try await app.ledger.createPromise(of: Int.self) }
      try await gate.arrival()
    }
    #expect(DiagnosticRecorder.kinds(inFile: "LedgerRuntimeTesting/FaultGate.swift").isEmpty)
  }

  @Test func anUnhandledRejectionIsReported() {
    do { _ = Promise<Int>.rejected(TestError(1)) }
    #expect(DiagnosticRecorder.kinds(line: #line - 1) == ["unhandledRejection"])
  }

  @Test func aHandledRejectionIsNotReported() async {
    let line = UInt(#line + 1)
    let handled = Promise<Int>.rejected(TestError(1)).catch { _ in }
    await handled.value
    let looked = Promise<Int>.rejected(TestError(1)).outcome
    #expect(testError(looked) == TestError(1))
    #expect(DiagnosticRecorder.kinds(line: line).isEmpty)
    #expect(DiagnosticRecorder.kinds(line: line + 2).isEmpty)
  }

  @Test func aTokenHandlesNoRejection() {
    let line = UInt(#line + 2)
    do {
      let (promise, resolver) = Promise.make(of: Int.self)
      promise.cancelled(by: CancellationToken())
      resolver.reject(TestError(1))
    }
    #expect(DiagnosticRecorder.kinds(line: line) == ["unhandledRejection"])
  }

  @Test func aChainReportsItsLastLink() async {
    let manual = ManualPromiseExecutor()
    Promise<Int>.rejected(TestError(1), on: manual.executor)
      .done { _ in }
    manual.drain()
    #expect(DiagnosticRecorder.kinds(line: #line - 2) == ["unhandledRejection"])
    #expect(DiagnosticRecorder.kinds(line: #line - 4).isEmpty)
  }

  @Test func settlingTwiceIsReported() {
    let (promise, resolver) = Promise.make(of: Int.self)
    #expect(resolver.fulfill(1))
    #expect(!resolver.fulfill(2))
    #expect(!resolver.reject(TestError()))
    #expect(promise.outcome == .fulfilled(1))
    #expect(DiagnosticRecorder.kinds(line: #line - 5) == ["settledTwice", "settledTwice"])
  }

  @Test func settlingAfterACancellationIsReportedAsLate() {
    let (promise, resolver) = Promise.make(of: Int.self)
    promise.cancel()
    #expect(!resolver.fulfill(2))
    #expect(!resolver.cancel())
    #expect(DiagnosticRecorder.kinds(line: #line - 4) == ["settledLate"])
  }

  @Test func aDiagnosticNamesTheProblemAndThePlace() throws {
    do { _ = Promise<Int>.rejected(TestError(1)) }
    let line = UInt(#line - 1)
    let diagnostic = try #require(DiagnosticRecorder.diagnostics(line: line).first)
    #expect(diagnostic.description.contains("TestError"))
    #expect(diagnostic.description.hasSuffix("DiagnosticTests.swift:\(line)]"))
  }

  @Test func descriptionsIdentifyAPromise() async {
    let (promise, resolver) = Promise.make(of: Int.self)
    #expect(
      "\(promise)".hasPrefix("Promise<Int>(pending, LedgerPromisesTests/DiagnosticTests.swift:"))
    resolver.fulfill(3)
    #expect("\(promise)".hasPrefix("Promise<Int>(fulfilled(3)"))
    #expect("\(Promise<Int>.lazy { _ in })".contains("not started"))
  }

  @Test func aLazyPromiseThatIsNeverObservedIsNotReported() {
    do { _ = Promise<Int>.lazy { _ in Issue.record("it ran") } }
    #expect(DiagnosticRecorder.kinds(line: #line - 1).isEmpty)
  }
}
