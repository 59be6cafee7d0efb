import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerPromises

/// Promises whose outcome is not taken until there is an observer.
@Suite(.timeLimit(.minutes(10))) struct RestTests {
  @Test func aPromiseThatNothingObservesRestsUntilSomethingDoes() async throws {
    let offered = Offered()
    offered.promise.timeout(.zero, clock: TestClock.still).cancel()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(offered.offerCount == 1)
    let seen = Recorder<Int>()
    offered.promise.done { seen.record($0) }
    #expect(offered.offerCount == 2)
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    #expect(seen.events == [7])
  }

  @Test func aCleanUpBehindACancelledPromiseIsNotForgotten() throws {
    let offered = Offered()
    let seen = Recorder<String>()
    offered.promise.ensure { seen.record("ensure") }.cancel()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(seen.events.isEmpty)
    offered.promise.cancel()
    #expect(seen.events == ["ensure"])
  }

  @Test func aNewObserverBelowMakesANewOffer() throws {
    let offered = Offered()
    let link = offered.promise.map { $0 + 1 }
    link.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(offered.offerCount == 1)
    let seen = Recorder<Int>()
    link.map { $0 }.done { seen.record($0) }
    #expect(offered.offerCount == 2)
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    #expect(seen.events == [8])
  }

  @Test func anObserverThatComesBeforeTheRestMakesANewOffer() throws {
    let offered = Offered()
    let link = offered.promise.map { $0 + 1 }
    link.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    let end = link.map { $0 }
    try offered.rest()
    #expect(offered.offerCount == 2)
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    #expect(end.outcome == .fulfilled(8))
  }

  @Test func theEndOfAnothersClaimMakesANewOffer() throws {
    let first = Offered()
    let second = Offered()
    let any = Promise.any([first.promise, second.promise], on: .inline)
    #expect(try first.isTaken())
    #expect(try !second.isTaken())
    try second.rest()
    #expect(second.offerCount == 1)
    try first.offer.settle(.rejected(TestError(1)))
    #expect(second.offerCount == 2)
    #expect(try second.isTaken())
    try second.offer.settle(.fulfilled(7))
    #expect(any.outcome == .fulfilled(7))
  }

  @Test func theLoserOfARaceKeepsNothingThatItRestsFor() throws {
    let first = Offered()
    let second = Offered()
    let race = Promise.race([first.promise, second.promise], on: .inline)
    #expect(try first.isTaken())
    #expect(try !second.isTaken())
    try second.rest()
    try first.offer.settle(.fulfilled(7))
    #expect(race.outcome == .fulfilled(7))
    #expect(second.offerCount == 1)
    #expect(second.observerCount == 0)
  }

  @Test func aPromiseBehindThatIsCancelledIsForgotten() throws {
    let offered = Offered()
    let link = offered.promise.map { $0 }
    link.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(offered.observerCount == 1)
    link.cancel()
    #expect(offered.observerCount == 0)
    #expect(offered.offerCount == 1)
  }

  @Test(arguments: [false, true])
  func theEndOfTheSessionMakesANewOffer(_ isOver: Bool) throws {
    let offered = Offered()
    let link = offered.promise.map { $0 }
    link.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    if isOver { offered.session.resolver.reject(TestError(1)) }
    try offered.rest()
    if !isOver { offered.session.resolver.reject(TestError(1)) }
    #expect(offered.session.promise.storage.machine.withLock { $0.isHandled })
    #expect(offered.offerCount == 2)
    try offered.offer.settle(.rejected(TestError(1)))
    #expect(testError(link.outcome) == TestError(1))
  }

  @Test func aPromiseThatRestsWithoutObserversIsReleased() throws {
    let (session, resolver) = Promise.make(of: Void.self)
    weak var storage: PromiseStorage<Int>?
    do {
      let box = Box<Offer<Int>>(Mutex(nil))
      let promise = Promise<Int>.offered(on: .inline) { box.set($0) }
      storage = promise.storage
      promise.done { _ in }.cancel()
      box.take()?.rest(isFulfilment: true, until: session)
    }
    #expect(storage == nil)
    resolver.fulfill(())
  }

  @Test func restingReleasesCallbacksThatWillNeverRun() throws {
    let offered = Offered()
    weak var witness: Recorder<Int>?
    do {
      let callback = Recorder<Int>()
      witness = callback
      offered.promise.map { $0 }.done { callback.record($0) }.cancel()
    }
    #expect(witness != nil)
    try offered.rest()
    #expect(witness == nil)
    offered.promise.cancel()
  }

  @Test func aCallbackWhoseExecutorIsGoneIsAbandoned() throws {
    DiagnosticRecorder.install()
    let offered = Offered()
    let box = ManualExecutorBox()
    let end = offered.promise.map(on: box.executor) { $0 }
    box.release()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(code(end.outcome) == .executorGone)
  }

  @Test func aRecoveryWhoseExecutorIsGoneTakesTheFailure() throws {
    let offered = Offered()
    let box = ManualExecutorBox()
    let recovered = offered.promise.recoverAlways(on: box.executor) { _ in 5 }
    box.release()
    #expect(try offered.offer.claimTaker(isFulfilment: false))
    try offered.offer.settle(.rejected(TestError(1)))
    #expect(recovered.currentValue == 5)
  }

  @Test func aRestDoesNotEndARecoveryWhoseExecutorIsGone() throws {
    let offered = Offered()
    let box = ManualExecutorBox()
    let recovered = offered.promise.recoverAlways(on: box.executor) { _ in 5 }
    box.release()
    try offered.offer.rest(isFulfilment: false, until: offered.session.promise)
    #expect(offered.offerCount == 2)
    try offered.offer.settle(.rejected(TestError(1)))
    #expect(recovered.currentValue == 5)
  }

  @Test func aGuaranteeWhoseExecutorIsGoneTakesTheValue() throws {
    let offered = Offered()
    let box = ManualExecutorBox()
    let guarantee = offered.promise.recoverAlways { _ in 5 }.map(on: box.executor) { $0 + 1 }
    box.release()
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    #expect(guarantee.currentValue == 8)
  }

  @Test func aHandlerWhoseExecutorIsGoneTakesTheFailure() throws {
    let offered = Offered()
    let box = ManualExecutorBox()
    let seen = Recorder<TestError?>()
    let end = offered.promise.catch(on: box.executor) { seen.record(testError($0)) }
    box.release()
    #expect(try offered.offer.claimTaker(isFulfilment: false))
    try offered.offer.settle(.rejected(TestError(1)))
    #expect(seen.events == [TestError(1)])
    #expect(!end.isPending)
  }

  /// The promise behind it is rejected, and would lose the outcome.
  @Test func aCleanUpWhoseExecutorIsGoneTakesNothing() throws {
    DiagnosticRecorder.install()
    let offered = Offered()
    let box = ManualExecutorBox()
    let seen = Recorder<String>()
    let end = offered.promise.ensure(on: box.executor) { seen.record("ensure") }
    box.release()
    #expect(try !offered.isTaken())
    try offered.rest()
    #expect(seen.events == ["ensure"])
    #expect(code(end.outcome) == .executorGone)
  }
}
