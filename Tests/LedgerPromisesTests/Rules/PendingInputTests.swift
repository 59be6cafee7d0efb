import PromiseLedgerTesting
import Synchronization
import Testing

@testable import LedgerPromises

/// A promise that stays pending for long, such as one for the end of a program, keeps nothing of what was
/// made from it and has settled.
@Suite(.timeLimit(.minutes(10))) struct PendingInputTests {
  private final class Witness: Error {}

  private final class WeakWitness: Sendable {
    private weak let witness: Witness?

    init(_ witness: Witness) {
      self.witness = witness
    }

    var isGone: Bool { witness == nil }
  }

  enum Combination: CaseIterable {
    case race, any, all, tuple, limitedRun, timeout, completions
  }

  @Test(arguments: Combination.allCases)
  func itLetsGoOfASettledResult(_ combination: Combination) async throws {
    let (pending, resolver) = Promise.make(of: Witness.self)
    let witness = try await settle(combination, with: pending)
    // The thread that settled may not be back yet.
    for _ in 0..<100_000 where !witness.isGone { await Task.yield() }
    #expect(witness.isGone)
    #expect(pending.isPending)
    withExtendedLifetime(resolver) {}
  }

  /// Settles a combination of a pending promise by something else that has a witness.
  private func settle(
    _ combination: Combination, with pending: Promise<Witness>
  ) async throws -> WeakWitness {
    let witness = Witness()
    let value = Promise.value(witness)
    let failed = Promise<Witness>.rejected(witness)
    switch combination {
    case .race: _ = try await Promise.race([pending, value]).value
    case .any: _ = try await Promise.any([pending, value]).value
    case .all: _ = try await Promise.all([pending, failed]).settlement()
    case .tuple: _ = try await Promise.all(pending, failed).settlement()
    case .limitedRun:
      let inputs = [pending, failed]
      _ = try await Promise.mapInParallel(inputs, limit: 2) { $0 }.settlement()
    case .timeout:
      let clock = ManualClock()
      let limited = pending.timeout(.seconds(1), throwing: witness, clock: clock)
      await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(1))
      _ = try await limited.settlement()
    case .completions:
      var iterator = [pending, value].inCompletionOrder().makeAsyncIterator()
      _ = await iterator.next()
    }
    _ = failed.outcome
    return WeakWitness(witness)
  }

  @Test func itKeepsFewObserversOfMany() async throws {
    let (pending, resolver) = Promise.make(of: Int.self)
    for round in 0..<1_000 {
      #expect(try await Promise.race([pending, .value(round)]).value == round)
      #expect(try await Promise.any([.value(round), pending]).value == round)
      for await completion in [pending, .value(round)].inCompletionOrder() {
        #expect(completion.index == 1)
        break
      }
    }
    let count = pending.storage.machine.withLock { $0.listObservers().observers.count }
    #expect(count < 10)
    // Those that still wait are not among the ones that it let go of.
    let other = Promise.make(of: Int.self)
    let race = Promise.race([pending, other.promise])
    for _ in 0..<10 { _ = Promise.race([pending, .value(1)]) }
    resolver.fulfill(7)
    #expect(race.outcome == .fulfilled(7))
    other.resolver.fulfill(0)
  }
}
