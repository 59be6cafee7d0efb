import Foundation
import LedgerModelTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerPromises
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Outcomes of several durable promises that one promise in memory collects.
@Suite(.timeLimit(.minutes(5))) struct GatheredOutcomeTests {
  private static let count = 40

  private let store = WatchedStore()

  private func open() async throws -> Ledger {
    try await Ledger.open(
      { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
      configuration: LedgerConfiguration())
  }

  /// A way to collect outcomes.
  struct Combination: Sendable, CustomTestStringConvertible {
    let name: String
    let combine: @Sendable ([Promise<Int>]) -> Promise<[Int]>

    var testDescription: String { name }
  }

  static let combinations = [
    Combination(name: "all") { Promise.all($0) },
    Combination(name: "allSettled") { promises in
      Promise.allSettled(promises).asPromise().map { try $0.map { try $0.get() } }
    },
    Combination(name: "a limited run") { Promise.mapInParallel($0, limit: count) { $0 } },
  ]

  @Test(arguments: combinations)
  func theInputsOfACombinationAreConsumedInOneCommit(_ combination: Combination) async throws {
    let app = try await open()
    var durables: [DurablePromise<Int>] = []
    for number in 0..<Self.count {
      let durable = try await app.createPromise(of: Int.self)
      try await durable.fulfill(number)
      durables.append(durable)
    }
    let commitCount = store.commitCount
    let inbox = app.engine.inbox
    store.onCommit = { while inbox.commandCount < Self.count { sched_yield() } }
    let end = combination.combine(durables.map(\.promise)).map { $0 }
    #expect(try await end.value == Array(0..<Self.count))
    #expect(store.commitCount == commitCount + 1)
    for (number, durable) in durables.enumerated() {
      #expect(try await durable.record?.status == .consumed, "promise \(number)")
    }
    await app.close()
  }

  @Test func aDurablePromiseMayBeAnInputTwice() async throws {
    let app = try await open()
    let durable = try await app.createPromise(of: Int.self)
    let promise = durable.promise
    let inputs = [promise, promise, durable.promise]
    let ends = Self.combinations.map { $0.combine(inputs) }
    let pair = promise.zip(promise).map { [$0, $1] }
    try await isAwaited(durable, in: app)
    try await durable.fulfill(7)
    for (combination, end) in zip(Self.combinations, ends) {
      #expect(try await end.value == [7, 7, 7], "\(combination.name)")
    }
    #expect(try await pair.value == [7, 7])
    #expect(try await durable.record?.status == .consumed)
    await app.close()
  }
}
