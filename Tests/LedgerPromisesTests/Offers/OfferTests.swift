import Foundation
import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerPromises

/// Promises that offer an outcome, and deliver it only to something that takes it.
@Suite(.timeLimit(.minutes(10))) struct OfferTests {
  // MARK: - Observers that take an outcome

  @Test func theEndOfAChainTakesIt() throws {
    let offered = Offered()
    offered.promise.map { $0 + 1 }.done { _ in }.catch { _ in }
    #expect(try offered.isTaken())
  }

  @Test func aHandlerAloneTakesFailuresOnly() throws {
    let offered = Offered()
    offered.promise.map { $0 }.done { _ in }.cancel()
    offered.promise.catch { _ in }
    #expect(try !offered.isTaken())
    #expect(try offered.offer.claimTaker(isFulfilment: false))
    try offered.offer.settle(.rejected(TestError(1)))
  }

  @Test func aHandlerBehindACallbackTakesValues() throws {
    let offered = Offered()
    let (idle, used) = (offered.promise, offered.promise.get { _ in })
    Promise.race([idle, used], on: .inline).catch { _ in }
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
  }

  @Test func oneBranchIsEnough() throws {
    let offered = Offered()
    offered.promise.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    let seen = Recorder<Int>()
    let branch = offered.promise.map { $0 + 1 }
    branch.done { _ in }.cancel()
    branch.done { seen.record($0) }
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(1))
    #expect(seen.events == [2])
  }

  @Test func aPromiseThatOnlyATokenLooksAtIsTheEnd() throws {
    let offered = Offered()
    let token = CancellationToken()
    offered.promise.map { $0 }.cancelled(by: token)
    #expect(try offered.isTaken())
    try offered.offer.withdraw()
    token.cancel()
    #expect(try !offered.isTaken())
  }

  @Test func aPromiseThatWaitsForItsCleanUpTakesNothing() throws {
    let offered = Offered()
    let cleanUp = Promise.make(of: Void.self)
    let outer = Promise.make(of: Int.self)
    let result = offered.promise.recoverThen { _ in outer.promise }
      .ensureAsync { cleanUp.promise }
    #expect(try offered.isTaken())
    try offered.offer.withdraw()
    result.cancel()
    #expect(try !offered.isTaken())
    cleanUp.resolver.fulfill(())
    outer.resolver.fulfill(0)
  }

  @Test func askingALongChainNeedsNoStack() throws {
    let offered = Offered()
    var end = offered.promise
    for _ in 0..<100_000 { end = end.map { $0 + 1 } }
    end.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    try offered.rest()
    end.done { _ in }
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(0))
    #expect(end.outcome == .fulfilled(100_000))
  }

  @Test func askingADiamondOfManyWaysLooksAtEachPromiseOnce() throws {
    let offered = Offered()
    var end = offered.promise
    for _ in 0..<64 { end = Promise.race([end.map { $0 }, end.map { $0 }], on: .inline) }
    end.done { _ in }.cancel()
    #expect(try !offered.isTaken())
    offered.promise.cancel()
  }

  // MARK: - After the claim

  /// A competitor that would settle the promises behind an offered one.
  struct Rival: Sendable, CustomTestStringConvertible {
    let name: String
    /// Chains to the promise; returns the end of the chain and a closure that starts the rival.
    let chain:
      @Sendable (Promise<Int>) async -> (
        end: Promise<Int>, strike: @Sendable () async throws -> Void
      )

    var testDescription: String { name }
  }

  static let rivals = outsiders + otherInputs + cleanUps

  private static let outsiders = [
    Rival(name: "a timeout") { promise in
      let clock = ManualClock()
      let (struck, resolver) = Promise.make(of: Void.self, on: .inline)
      let end = promise.map { $0 }
        .timeout(.seconds(1), clock: WatchedClock(clock) { resolver.fulfill(()) })
        .map { $0 }
      await clock.sleepers(atLeast: 1)
      return (
        end,
        {
          clock.advance(by: .seconds(1))
          try await struck.value
        }
      )
    },
    Rival(name: "a cancellation of the end") { promise in
      let end = promise.map { $0 }
      return (end, { #expect(!end.cancel()) })
    },
    Rival(name: "a cancellation of the promise") { promise in
      let end = promise.map { $0 }
      return (end, { #expect(!promise.cancel()) })
    },
    Rival(name: "a token") { promise in
      let token = CancellationToken()
      let end = promise.map { $0 }.cancelled(by: token)
      return (end, { token.cancel() })
    },
    Rival(name: "a cancellation of a retry") { promise in
      let end = Promise.retry(attempts: 2, on: .inline) { _ in promise.map { $0 } }
      while promise.storage.findDemand(isFulfilment: true).demand?.steps.last?.core !== end.storage
      {
        await Task.yield()
      }
      return (end, { #expect(!end.cancel()) })
    },
    Rival(name: "the other of a race") { promise in
      let (other, resolver) = Promise.make(of: Int.self, on: .inline)
      let end = Promise.race([other, promise.map { $0 }], on: .inline).map { $0 }
      return (end, { resolver.fulfill(0) })
    },
    Rival(name: "the other of any") { promise in
      let (other, resolver) = Promise.make(of: Int.self, on: .inline)
      let end = Promise.any([other, promise.map { $0 }], on: .inline).map { $0 }
      return (end, { resolver.fulfill(0) })
    },
    Rival(name: "another offered promise") { promise in
      let other = Offered()
      let end = Promise.race([other.promise, promise], on: .inline).map { $0 }
      return (
        end,
        {
          let isTaken = try other.isTaken()
          #expect(!isTaken)
        }
      )
    },
  ]

  /// A cancellation that comes after another input of a combination.
  private static let otherInputs = [
    combination("all") { promise, other in
      Promise.all([promise, other], on: .inline).map { $0[0] }
    },
    combination("zip") { promise, other in promise.zip(other).map { $0.0 } },
    combination("allSettled") { promise, other in
      Promise.allSettled([promise, other], on: .inline).asPromise().map { try $0[0].get() }
    },
    combination("a limited run") { promise, other in
      Promise.mapInParallel([promise, other], limit: 2, on: .inline) { $0 }.map { $0[0] }
    },
  ]

  private static func combination(
    _ name: String,
    _ combine: @escaping @Sendable (Promise<Int>, Promise<Int>) -> Promise<Int>
  ) -> Rival {
    Rival(name: "a cancellation after another input of \(name)") { promise in
      let (other, resolver) = Promise.make(of: Int.self, on: .inline)
      let end = combine(promise.map { $0 }, other)
      return (
        end,
        {
          resolver.fulfill(0)
          #expect(!end.cancel())
        }
      )
    }
  }

  private static let cleanUps = [
    Rival(name: "a cancellation behind a clean-up") { promise in
      let end = promise.map { $0 }.ensureAsync { .value(()) }
      return (end, { #expect(!end.cancel()) })
    },
    Rival(name: "a cancellation behind several clean-ups") { promise in
      let end = promise.ensureAsync { .value(()) }.ensureAsync { .value(()) }
      return (end, { #expect(!end.cancel()) })
    },
  ]

  @Test(arguments: rivals) func settlementsAfterTheClaimAreTooLate(_ rival: Rival) async throws {
    let offered = Offered()
    let (end, strike) = await rival.chain(offered.promise)
    #expect(try offered.isTaken())
    try await strike()
    #expect(end.isPending)
    try offered.offer.settle(.fulfilled(7))
    #expect(try await end.settlement() == .fulfilled(7))
  }

  @Test(arguments: rivals.filter { $0.name != "another offered promise" })
  func settlementsDuringTheClaimCountOnceItIsWithdrawn(_ rival: Rival) async throws {
    let offered = Offered()
    let (end, strike) = await rival.chain(offered.promise)
    #expect(try offered.isTaken())
    try await strike()
    try offered.offer.withdraw()
    let outcome = try await end.settlement()
    #expect(outcome != .fulfilled(7))
  }

  @Test func aTaskThatAwaitsGetsTheOutcomeClaimedForIt() async throws {
    let offered = Offered()
    let task = Task { try await offered.promise.value }
    // The task is the first observer, so it waits once there is an offer.
    while offered.offerCount == 0 { await Task.yield() }
    #expect(try offered.isTaken())
    task.cancel()
    try offered.offer.settle(.fulfilled(7))
    #expect(try await task.value == 7)
  }

  @Test func aTaskThatIsCancelledMeanwhileStopsWaitingOnceTheClaimIsWithdrawn() async throws {
    let offered = Offered()
    let task = Task { try await offered.promise.value }
    while offered.offerCount == 0 { await Task.yield() }
    #expect(try offered.isTaken())
    task.cancel()
    try offered.offer.withdraw()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try !offered.isTaken())
    offered.promise.cancel()
  }

  @Test func theOutcomeOfACallbackMayTakeItsTime() async throws {
    let clock = ManualClock()
    let offered = Offered()
    let (inner, resolver) = Promise.make(of: Int.self, on: .inline)
    let limited = offered.promise.then { _ in inner }.timeout(.seconds(1), clock: clock)
    #expect(try offered.isTaken())
    try offered.offer.settle(.fulfilled(7))
    await clock.sleepers(atLeast: 1)
    clock.advance(by: .seconds(1))
    #expect(code(try await limited.settlement()) == .timedOut)
    resolver.fulfill(0)
  }

  @Test func aCombinationThatWaitsForOthersIsHeldNoLonger() throws {
    let offered = Offered()
    let (other, resolver) = Promise.make(of: Int.self, on: .inline)
    let all = Promise.all([offered.promise, other], on: .inline)
    #expect(try offered.isTaken())
    #expect(!all.cancel())
    try offered.offer.settle(.fulfilled(7))
    #expect(all.outcome?.isCancelled == true)
    resolver.fulfill(0)
  }

  // MARK: - On the thread that claims

  /// A hold that does something when a claim finds it in its way.
  private final class Obstacle: PromiseHold, @unchecked Sendable {
    let strike: @Sendable () -> Void

    init(_ strike: @escaping @Sendable () -> Void) {
      self.strike = strike
    }

    override var admitsOutcomes: Bool {
      strike()
      return false
    }
  }

  @Test func callbacksThatAFailedClaimPostponedRunElsewhere() async throws {
    let (first, firstResolver) = Promise.make(of: Int.self, on: .inline)
    let (last, lastResolver) = Promise.make(of: Int.self, on: .inline)
    let threads = Recorder<String?>()
    first.ensure { threads.record(Thread.current.name) }
    let obstacle = Obstacle { #expect(!first.cancel()) }
    last.storage.machine.withLock { $0.place(obstacle) }
    await onSmallStack {
      Thread.current.name = "claiming"
      let path = Demand(
        steps: [first, last].map { Demand.Step(core: $0.storage, edge: .settling) })
      #expect(DeliveryClaim.claim(path) == nil)
    }
    #expect(try await first.settlement().isCancelled)
    #expect(await threads.events(atLeast: 1).first != "claiming")
    firstResolver.fulfill(0)
    lastResolver.fulfill(0)
  }

  @Test func outcomesSettledDuringAClaimAreReleasedAfterIt() throws {
    let offered = Offered()
    weak var witness: Recorder<Int>?
    do {
      let callback = Recorder<Int>()
      witness = callback
      let core = offered.promise.storage
      core.observe(triggers: []) { fate, _ in
        if case .asked = fate { core.cancel(.unspecified) }
      }
      offered.promise.done { callback.record($0) }
    }
    #expect(try !offered.isTaken())
    #expect(witness != nil)
    try offered.offer.withdraw()
    #expect(witness == nil)
  }

  @Test func anOfferThatIsReleasedRejects() async throws {
    DiagnosticRecorder.install()
    let promise = Promise<Int>.offered(on: .inline) { _ in }
    #expect(code(try await promise.settlement()) == .abandoned)
  }
}
