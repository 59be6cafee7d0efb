import Dispatch
import LedgerPromises
import PromiseLedger
import Testing

/// One way to run a rule of Promises/A+: when the promise settles, where callbacks run, how it begins.
struct Axis: Sendable, CustomTestStringConvertible {
  enum Timing: CaseIterable {
    case already, immediately, eventually
  }

  enum Place: CaseIterable {
    case ownQueue, main, inline
  }

  enum Origin: CaseIterable {
    case eager, lazy
    /// Stored in a ledger, and resolved by another session on it, or by another process.
    case otherSession, otherProcess
  }

  let timing: Timing
  let place: Place
  let origin: Origin

  static let all = combinations(of: Place.allCases)
  static let neverInline = combinations(of: [.ownQueue, .main])

  var testDescription: String { "\(timing) settled, \(place), \(origin)" }

  private static func combinations(of places: [Place]) -> [Axis] {
    Timing.allCases.flatMap { timing in
      places.flatMap { place in
        Origin.allCases.map { Axis(timing: timing, place: place, origin: $0) }
      }
    }
  }

  func makeExecutor() -> PromiseExecutor {
    switch place {
    case .ownQueue: .serial(label: "A+")
    case .main: .main
    case .inline: .inline
    }
  }

  /// A promise that will have the outcome, and a closure to call after attaching to it.
  func subject<Value: Codable & Sendable>(
    _ outcome: Outcome<Value>, on executor: PromiseExecutor
  ) async throws -> Subject<Value> {
    DiagnosticRecorder.install()
    switch origin {
    case .eager:
      return eager(outcome, on: executor)
    case .lazy:
      return await lazy(outcome, on: executor)
    case .otherSession:
      return try await durable(outcome, on: executor) { ledger, durable in
        Task { try await ledger.settleInOtherSession(durable, outcome) }
      }
    case .otherProcess:
      return try await durable(outcome, on: executor) { ledger, durable in
        try? ledger.settleInOtherProcess(durable, outcome)
      }
    }
  }

  private func eager<Value: Sendable>(
    _ outcome: Outcome<Value>, on executor: PromiseExecutor
  ) -> Subject<Value> {
    let (promise, resolver) = Promise.make(of: Value.self, on: executor)
    switch timing {
    case .already:
      resolver.resolve(with: outcome)
      return Subject(promise: promise, settle: {})
    case .immediately:
      return Subject(promise: promise, settle: { resolver.resolve(with: outcome) })
    case .eventually:
      return Subject(
        promise: promise,
        settle: { DispatchQueue.global().async { resolver.resolve(with: outcome) } })
    }
  }

  private func lazy<Value: Sendable>(
    _ outcome: Outcome<Value>, on executor: PromiseExecutor
  ) async -> Subject<Value> {
    let promise = Promise<Value>.lazy(on: executor) { [timing] resolver in
      if timing == .eventually {
        DispatchQueue.global().async { resolver.resolve(with: outcome) }
      } else {
        resolver.resolve(with: outcome)
      }
    }
    if timing == .already { _ = try? await promise.settlement() }
    return Subject(promise: promise, settle: {})
  }

  private func durable<Value: Codable & Sendable>(
    _ outcome: Outcome<Value>, on executor: PromiseExecutor,
    _ settle: @escaping @Sendable (SharedLedger, DurablePromise<Value>) -> Void
  ) async throws -> Subject<Value> {
    let ledger = try #require(SharedLedger.current)
    let durable = try await ledger.app.createPromise(of: Value.self)
    let promise = durable.promise(on: executor)
    switch timing {
    case .already:
      settle(ledger, durable)
      _ = try await promise.settlement()
      return Subject(promise: promise, settle: {})
    case .immediately:
      return Subject(promise: promise, settle: { settle(ledger, durable) })
    case .eventually:
      return Subject(
        promise: promise, settle: { DispatchQueue.global().async { settle(ledger, durable) } })
    }
  }
}

struct Subject<Value: Sendable>: Sendable {
  let promise: Promise<Value>
  let settle: @Sendable () -> Void
}
