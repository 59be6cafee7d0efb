import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerPromises

/// Several outcomes that are on their way through the same promises.
@Suite(.timeLimit(.minutes(10))) struct SharedClaimTests {
  /// A way to collect the outcomes of several promises.
  struct Combination: Sendable, CustomTestStringConvertible {
    let name: String
    let combine: @Sendable (Promise<Int>, Promise<Int>) async -> Promise<[Int]>

    var testDescription: String { name }
  }

  static let combinations = [
    Combination(name: "all") { Promise.all([$0, $1], on: .inline) },
    Combination(name: "zip") { $0.zip($1).map { [$0, $1] } },
    Combination(name: "allSettled") { first, second in
      Promise.allSettled([first, second], on: .inline).asPromise().map {
        try $0.map { try $0.get() }
      }
    },
    Combination(name: "a limited run") { first, second in
      let isRunning = Recorder<Void>()
      let run = Promise.mapInParallel([first, second], limit: 3, on: .inline) { promise in
        isRunning.record(())
        return promise
      }
      await isRunning.events(atLeast: 2)
      return run
    },
  ]

  @Test(arguments: combinations)
  func allInputsAreClaimedBeforeTheFirstArrives(_ combination: Combination) async throws {
    let (first, second) = (Offered(), Offered())
    let end = await combination.combine(first.promise.map { $0 }, second.promise).map { $0 }
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    try second.offer.settle(.fulfilled(2))
    #expect(end.isPending)
    try first.offer.settle(.fulfilled(1))
    #expect(end.outcome == .fulfilled([1, 2]))
  }

  @Test(arguments: combinations)
  func aCancellationAfterTheClaimsIsTooLateForEachOfThem(_ combination: Combination) async throws {
    let (first, second) = (Offered(), Offered())
    let end = await combination.combine(first.promise, second.promise).map { $0 }
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    #expect(!end.cancel())
    try first.offer.settle(.fulfilled(1))
    #expect(end.isPending)
    try second.offer.settle(.fulfilled(2))
    #expect(end.outcome == .fulfilled([1, 2]))
  }

  @Test(arguments: combinations)
  func noOtherInputIsClaimedOnceACancellationWaits(_ combination: Combination) async throws {
    let (first, second) = (Offered(), Offered())
    let end = await combination.combine(first.promise, second.promise).map { $0 }
    #expect(try first.isTaken())
    #expect(!end.cancel())
    #expect(try !second.isTaken())
    try first.offer.settle(.fulfilled(1))
    #expect(end.outcome?.isCancelled == true)
    #expect(try !second.isTaken())
    second.promise.cancel()
  }

  @Test(arguments: combinations)
  func aPromiseMayBeAnInputTwice(_ combination: Combination) async throws {
    let offered = Offered()
    let end = await combination.combine(offered.promise, offered.promise).map { $0 }
    #expect(try offered.isTaken())
    #expect(!end.cancel())
    try offered.offer.settle(.fulfilled(7))
    #expect(end.outcome == .fulfilled([7, 7]))
  }

  @Test func theChainBehindAPromiseThatIsAnInputTwiceStaysClaimed() throws {
    let offered = Offered()
    let manual = ManualPromiseExecutor()
    let end = Promise.all([offered.promise, offered.promise], on: .inline)
      .map(on: manual.executor) { $0 }
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    #expect(!end.cancel())
    manual.drain()
    #expect(end.outcome == .fulfilled([7, 7]))
  }

  @Test func aChoiceTakesOneInputAtATimeAndAllThatComesThroughIt() throws {
    let (first, second, third) = (Offered(), Offered(), Offered())
    let all = Promise.all([first.promise, second.promise], on: .inline)
    let race = Promise.race([all, third.promise.map { [$0] }], on: .inline)
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    #expect(try !third.isTaken())
    try first.offer.settle(.fulfilled(1))
    #expect(try !third.isTaken())
    try second.offer.settle(.fulfilled(2))
    #expect(race.outcome == .fulfilled([1, 2]))
    third.promise.cancel()
  }

  @Test func aTaskThatIsCancelledWaitsForAllThatWasClaimedForIt() async throws {
    let (first, second) = (Offered(), Offered())
    let all = Promise.all([first.promise, second.promise], on: .inline)
    let task = try await awaiting(all)
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    task.cancel()
    try first.offer.settle(.fulfilled(1))
    try second.offer.settle(.fulfilled(2))
    #expect(try await task.value == [1, 2])
  }

  @Test func nothingMoreIsClaimedForATaskThatIsCancelled() async throws {
    let (first, second) = (Offered(), Offered())
    let all = Promise.all([first.promise, second.promise], on: .inline)
    let task = try await awaiting(all)
    #expect(try first.isTaken())
    task.cancel()
    #expect(try !second.isTaken())
    try first.offer.settle(.fulfilled(1))
    await #expect(throws: CancellationError.self) { try await task.value }
    second.promise.cancel()
  }

  /// A task that waits for the promise.
  private func awaiting(_ promise: Promise<[Int]>) async throws -> Task<[Int], any Error> {
    let former = observerCount(of: promise)
    let task = Task { try await promise.value }
    while observerCount(of: promise) == former { await Task.yield() }
    return task
  }

  private func observerCount(of promise: Promise<[Int]>) -> Int {
    promise.storage.machine.withLock { $0.listObservers().observers.count }
  }

  @Test func aFailureEndsTheClaimsOfTheOthersToo() throws {
    let (first, second) = (Offered(), Offered())
    let (other, resolver) = Promise.make(of: [Int].self, on: .inline)
    let all = Promise.all([first.promise, second.promise], on: .inline).recover { _ in [] }
    let outer = Promise.all([all, other], on: .inline)
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    try first.offer.settle(.rejected(TestError(1)))
    #expect(outer.cancel())
    try second.offer.settle(.fulfilled(2))
    resolver.fulfill([])
  }

  /// Its consumption may be under way, so nothing else may settle the promise that it is for.
  @Test func aFailureLeavesTheOtherPromisesTheirOutcomes() throws {
    let (first, second) = (Offered(), Offered())
    let (other, resolver) = Promise.make(of: [Int].self, on: .inline)
    let all = Promise.all([first.promise, second.promise], on: .inline).recover { _ in [] }
    let outer = Promise.all([all, other], on: .inline)
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    #expect(!second.promise.cancel())
    try first.offer.settle(.rejected(TestError(1)))
    #expect(!second.promise.cancel())
    #expect(second.promise.isPending)
    // Asked again, because the commit was decided again.
    #expect(try second.isTaken())
    try second.offer.settle(.fulfilled(2))
    #expect(second.promise.outcome == .fulfilled(2))
    resolver.fulfill([])
    #expect(outer.outcome == .fulfilled([[], []]))
  }

  /// A commit that fails gives way to the cancellation that waited for it.
  @Test func aFailureLeavesTheOtherPromisesToTheirOwnEnd() throws {
    let (first, second) = (Offered(), Offered())
    let all = Promise.all([first.promise, second.promise], on: .inline).recover { _ in [] }
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    #expect(!second.promise.cancel())
    try first.offer.settle(.rejected(TestError(1)))
    #expect(all.outcome == .fulfilled([]))
    try second.offer.withdraw()
    #expect(second.promise.outcome?.isCancelled == true)
  }

  /// Another input decides a promise in the middle before, or after, the one behind it is held.
  @Test(arguments: [1, 2])
  func nothingIsClaimedBehindAPromiseThatIsSettledMeanwhile(index: Int) throws {
    let made = (0..<4).map { _ in Promise.make(of: Int.self, on: .inline) }
    let promises = made.map(\.promise)
    let path = Demand(
      steps: promises.map { Demand.Step(core: $0.storage, edge: .collecting) })
    let claim = DeliveryClaim.claim(path) { placed in
      guard placed == index else { return }
      // As a combination settles its promise, and what is behind that notes it.
      promises[1].storage.settle(.fulfilled(1), byResolver: false, in: nil)
      promises[2].storage.endClaims(from: promises[1].storage)
    }
    #expect(claim == nil)
    for index in [0, 2, 3] { #expect(promises[index].cancel(), "promise \(index)") }
    withExtendedLifetime(made) {}
  }

  @Test func aClaimThatIsWithdrawnLeavesTheOthers() throws {
    let (first, second) = (Offered(), Offered())
    let end = Promise.allSettled([first.promise, second.promise], on: .inline).asPromise()
    #expect(try first.isTaken())
    #expect(try second.isTaken())
    try first.offer.withdraw()
    #expect(!end.cancel())
    try first.offer.settle(.rejected(TestError(1)))
    #expect(end.isPending)
    try second.offer.settle(.fulfilled(2))
    #expect(end.outcome == .fulfilled([.rejected(TestError(1)), .fulfilled(2)]))
  }

  @Test func aCancellationThatComesAfterTheClaimIsForThePromiseToAnswer() throws {
    let (promise, resolver) = Promise.make(of: Int.self, on: .inline)
    let path = Demand(steps: [Demand.Step(core: promise.storage, edge: .settling)])
    let claim = try #require(DeliveryClaim.claim(path))
    #expect(claim.cancel(promise.storage, .unspecified) == .late)
    claim.end()
    #expect(promise.outcome?.isCancelled == true)
    #expect(claim.cancel(promise.storage, .unspecified) == nil)
    #expect(!claim.postpone(at: promise.storage) {})
    withExtendedLifetime(resolver) {}
  }
}
