import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// The code of the work that is measured.
enum BenchmarkedWork {
  /// Code that does nothing.
  struct Nothing: LedgerWork {
    static let kind = "nothing"
    func run(in call: WorkCall<Void>) async throws {}
  }

  /// Code with three steps that do nothing.
  struct ThreeSteps: LedgerWork {
    static let kind = "three-steps"
    func run(in call: WorkCall<Void>) async throws {
      try await call.step("first") { _ in }
      try await call.step("second") { _ in }
      try await call.step("third") { _ in }
    }
  }

  /// The three steps, with a wait before the last one.
  struct Suspended: LedgerWork {
    static let kind = "suspended"
    let awaited: DurablePromise<Int>

    func run(in call: WorkCall<Void>) async throws {
      try await call.step("first") { _ in }
      try await call.step("second") { _ in }
      _ = try await call.value(of: awaited)
      try await call.step("third") { _ in }
    }
  }

  /// Code that notes when it ran.
  struct Noted: LedgerWork {
    static let kind = "noted"
    func run(in call: WorkCall<Moments>) async throws { call.context.note() }
  }

  /// A handler that does nothing.
  struct Called: LedgerHandler {
    static let kind = "called"
    func run(in call: HandlerCall<Void>) async throws {}
  }

  /// When code ran.
  final class Moments: Sendable {
    private let moments = Mutex<[Duration]>([])
    func note() { moments.withLock { $0.append(MonotonicClock.now) } }
    var all: [Duration] { moments.withLock { $0 } }
  }

  static func open(
    _ path: String, as role: SessionRole = .app, _ moments: Moments = Moments()
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration.asked
    try configuration.handlers.register(Nothing.self)
    try configuration.handlers.register(ThreeSteps.self)
    try configuration.handlers.register(Suspended.self)
    try configuration.handlers.register(Noted.self) { moments }
    try configuration.handlers.register(Called.self)
    return try await Ledger.open(at: path, as: role, configuration: configuration)
  }

  /// Runs `body` while a runner runs the work of a ledger.
  static func running(_ ledger: Ledger, _ body: () async throws -> Void) async throws {
    let runner = Task { try await LedgerRunner(ledger, limits: .init(total: 512)).run() }
    do {
      try await body()
    } catch {
      runner.cancel()
      throw error
    }
    runner.cancel()
    try await runner.value
  }
}
