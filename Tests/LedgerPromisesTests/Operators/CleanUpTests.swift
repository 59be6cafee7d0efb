import LedgerPromises
import PromiseLedgerTesting
import Testing

/// Clean-up runs to its end, once, before anything that comes after it.
@Suite(.timeLimit(.minutes(10))) struct CleanUpTests {
  /// A compound promise: a form that is shown, and its dismissal behind it.
  private struct Compound {
    let form = Promise.make(of: Int.self)
    let dismissal = Promise.make(of: Void.self)
    let seen = Recorder<String>()
    let result: Promise<Int>

    init() {
      let (dismissal, seen) = (dismissal, seen)
      dismissal.resolver.onCancel { _ in seen.record("dismissal aborted") }
      result = form.promise.ensureAsync {
        seen.record("dismissing")
        return dismissal.promise.get { seen.record("dismissed") }
      }
      result.tap { _ in seen.record("next") }.catch { _ in }
    }
  }

  @Test func ensureRunsOnceOnEachOutcome() async throws {
    let outcomes: [Outcome<Int>] = [.fulfilled(1), .rejected(TestError(1)), .cancelled("why")]
    for outcome in outcomes {
      let (promise, resolver) = Promise.make(of: Int.self)
      let seen = Recorder<Void>()
      let ensured = promise.ensure { seen.record(()) }
      resolver.resolve(with: outcome)
      #expect(try await ensured.settlement() == outcome)
      #expect(seen.events.count == 1, "\(outcome)")
    }
  }

  @Test(arguments: [Outcome<Int>.fulfilled(1), .rejected(TestError(1)), .cancelled("why")])
  func itRunsAlsoIfItsExecutorIsGone(_ outcome: Outcome<Int>) async throws {
    DiagnosticRecorder.install()
    let manual = ManualPromiseExecutor()
    let seen = Recorder<String>()
    let source = Promise.settled(outcome)
    let line = UInt(#line + 1)
    let ensured = source.ensure(on: manual.executor) { seen.record("ensure") }
    let cleanedUp = source.ensureAsync(on: manual.executor) {
      seen.record("ensureAsync")
      return .value(())
    }
    manual.shutDown()
    for result in [ensured, cleanedUp] {
      let error = try #require(try await result.settlement().error as? PromiseError)
      #expect(error.code == .executorGone)
      #expect(error.cause.map { "\($0)" } == outcome.error.map { "\($0)" })
    }
    #expect(seen.events == ["ensure", "ensureAsync"])
    for line in [line, line + 1] {
      #expect(DiagnosticRecorder.kinds(line: line).contains("pendingPromiseDropped"))
    }
  }

  @Test func itsErrorIsAttachedIfItsExecutorIsGone() async throws {
    DiagnosticRecorder.install()
    let manual = ManualPromiseExecutor()
    let result = Promise<Int>.rejected(TestError(1))
      .ensureAsync(on: manual.executor) { throw TestError(2) }
    manual.shutDown()
    let error = try #require(try await result.settlement().error as? PromiseError)
    #expect(error.code == .cleanUpFailed)
    #expect((error.cause as? PromiseError)?.code == .executorGone)
    #expect(error.underlying as? TestError == TestError(1))
    #expect(error.attachedErrors.map { $0 as? TestError } == [TestError(2)])
  }

  enum Ending: CaseIterable {
    case fulfilled, rejected, cancelled, resultCancelled, outerCancelled, tokenCancelled
  }

  @Test(arguments: Ending.allCases)
  func itRunsToItsEndBeforeTheNextLink(_ ending: Ending) async throws {
    let compound = Compound()
    let outer = Promise.value(0).then { _ in compound.result }
    await barrier(.default)
    switch ending {
    case .fulfilled: compound.form.resolver.fulfill(1)
    case .rejected: compound.form.resolver.reject(TestError(1))
    case .cancelled: compound.form.resolver.cancel("why")
    case .resultCancelled: compound.result.cancel("why")
    case .outerCancelled: outer.cancel("why")
    case .tokenCancelled:
      let token = CancellationToken()
      compound.result.cancelled(by: token)
      token.cancel("why")
    }
    await compound.seen.events(atLeast: 1)
    await barrier(.default)
    #expect(compound.seen.events == ["dismissing"])
    #expect(compound.result.isPending)
    compound.dismissal.resolver.fulfill(())
    let expected: Outcome<Int> =
      switch ending {
      case .fulfilled: .fulfilled(1)
      case .rejected: .rejected(TestError(1))
      default: .cancelled("why")
      }
    #expect(try await compound.result.settlement() == expected)
    #expect(await compound.seen.events(atLeast: 3) == ["dismissing", "dismissed", "next"])
    outer.catch { _ in }
  }

  @Test func cancellingTheResultWhileItRunsWaitsForItsEnd() async throws {
    let compound = Compound()
    compound.form.resolver.fulfill(1)
    await compound.seen.events(atLeast: 1)
    await barrier(.default)
    #expect(compound.result.cancel("why"))
    #expect(!compound.result.cancel("again"))
    #expect(compound.result.isPending)
    compound.dismissal.resolver.fulfill(())
    #expect(try await compound.result.settlement() == .cancelled("why"))
    #expect(await compound.seen.events(atLeast: 3) == ["dismissing", "dismissed", "next"])
  }

  @Test func cancellingTheResultCancelsThePromiseThatItCleansUpAfter() async throws {
    let compound = Compound()
    #expect(compound.result.cancel("why"))
    #expect(compound.form.promise.outcome == .cancelled("why"))
    compound.dismissal.resolver.fulfill(())
    #expect(try await compound.result.settlement() == .cancelled("why"))
    #expect(!compound.result.cancel("again"))
  }

  @Test func itsTaskIsNotCancelledEither() async throws {
    let seen = Recorder<Bool>()
    let (start, starter) = Promise.make(of: Void.self)
    let form = Promise.make(of: Int.self)
    let result = form.promise.ensureAsync {
      Promise<Void> {
        seen.record(Task.isCancelled)
        try await start.value
        seen.record(Task.isCancelled)
      }
    }
    form.resolver.fulfill(1)
    await seen.events(atLeast: 1)
    result.cancel()
    starter.fulfill(())
    _ = try await result.settlement()
    #expect(seen.events == [false, false])
  }

  @Test func itsErrorIsAttachedToACancellationOfTheResult() async throws {
    let compound = Compound()
    compound.result.cancel("why")
    compound.dismissal.resolver.reject(TestError(2))
    let outcome = try await compound.result.settlement()
    guard case .cancelled(let reason) = outcome else {
      Issue.record("The result is \(outcome).")
      return
    }
    #expect(reason.message == "why")
    #expect(reason.attachedError as? TestError == TestError(2))
  }

  @Test func theErrorOfTheChainIsFoundBehindThoseOfCleanUps() async throws {
    let failed = Promise<Int>.rejected(TestError(1))
      .ensureAsync { .rejected(TestError(2)) }
      .ensureAsync { .rejected(TestError(3)) }
    let error = try #require(try await failed.settlement().error as? PromiseError)
    #expect(error.code == .cleanUpFailed)
    #expect(error.underlying as? TestError == TestError(1))
    #expect(error.attachedErrors.map { $0 as? TestError } == [TestError(3)])
  }

  @Test func anErrorWithoutACauseUnderliesItself() async throws {
    let failed = Promise<Int>.value(1).validate { $0 > 1 }
    let error = try #require(try await failed.settlement().error as? PromiseError)
    #expect((error.underlying as? PromiseError)?.code == .notValid)
  }
}
