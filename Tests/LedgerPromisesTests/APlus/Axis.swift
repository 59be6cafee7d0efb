import Dispatch
import LedgerPromises
import Testing

/// One way to run a rule of Promises/A+: when the promise settles, where callbacks run, how it begins.
struct Axis: Sendable, CustomTestStringConvertible {
  enum Timing: CaseIterable {
    case already, immediately, eventually
  }

  enum Place: CaseIterable {
    case ownQueue, main, inline
  }

  enum Start: CaseIterable {
    case eager, lazy
  }

  let timing: Timing
  let place: Place
  let start: Start

  static let all = combinations(of: Place.allCases)
  static let neverInline = combinations(of: [.ownQueue, .main])

  var testDescription: String { "\(timing) settled, \(place), \(start)" }

  private static func combinations(of places: [Place]) -> [Axis] {
    Timing.allCases.flatMap { timing in
      places.flatMap { place in
        Start.allCases.map { Axis(timing: timing, place: place, start: $0) }
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

  /// A promise that will have the outcome, and what to call after attaching to it.
  func subject<Value: Sendable>(
    _ outcome: Outcome<Value>, on executor: PromiseExecutor
  ) async -> Subject<Value> {
    DiagnosticRecorder.install()
    switch start {
    case .eager: return eager(outcome, on: executor)
    case .lazy: return await lazy(outcome, on: executor)
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
}

struct Subject<Value: Sendable>: Sendable {
  let promise: Promise<Value>
  let settle: @Sendable () -> Void
}
