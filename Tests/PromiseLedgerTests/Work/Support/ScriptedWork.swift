import PromiseLedger
import PromiseLedgerTesting

/// Work whose code comes from its context, so that a test can script it.
struct ScriptedWork: LedgerWork {
  struct Script: Sendable {
    let code: @Sendable (ScriptedWork, WorkCall<Script>) async throws -> Int
  }

  static let kind = "scripted-work"
  static let formerKinds = ["scripted-task"]

  var name: String?
  var promise: DurablePromise<Int>?
  /// The value of an awaited promise.
  var value: Int?
  /// The error of an awaited promise.
  var failure: StoredError?
}

extension ScriptedWork {
  func run(in call: WorkCall<Script>) async throws -> Int {
    try await call.context.code(self, call)
  }
}

/// Work of another kind.
struct OtherWork: LedgerWork {
  static let kind = "other-work"
  var name: String?

  func run(in call: WorkCall<OtherScript>) async throws -> String {
    try await call.context.code(name ?? "")
  }
}

/// The code of the other kind.
struct OtherScript: Sendable {
  let code: @Sendable (String) async throws -> String
}

/// A ledger whose sessions know scripted work.
struct WorkLedger: Sendable {
  let temporary: TemporaryLedger
  let clock: (any LedgerClock)?

  init(clock: (any LedgerClock)? = nil) throws {
    self.init(try TemporaryLedger(), clock: clock)
  }

  /// Sessions on the same ledger with another clock.
  init(_ temporary: TemporaryLedger, clock: (any LedgerClock)?) {
    self.temporary = temporary
    self.clock = clock
  }

  typealias Code =
    @Sendable (ScriptedWork, WorkCall<ScriptedWork.Script>) async throws -> Int

  func open(
    as role: SessionRole = .app, runner: LedgerConfiguration.RunnerPolicy = .manual,
    _ code: @escaping Code = { _, _ in 0 },
    other: (@Sendable (String) async throws -> String)? = nil
  ) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.clock = clock
    configuration.runner = runner
    try configuration.handlers.register(ScriptedWork.self) { ScriptedWork.Script(code: code) }
    if let other {
      try configuration.handlers.register(OtherWork.self) { OtherScript(code: other) }
    }
    return try await temporary.open(as: role, configuration: configuration)
  }
}

/// Runs `body` while runners run, and stops them at its end.
func running<R: Sendable>(
  _ runners: LedgerRunner..., body: () async throws -> R
) async throws -> R {
  let tasks = runners.map { runner in Task { try await runner.run() } }
  let result: R
  do {
    result = try await body()
  } catch {
    for task in tasks { task.cancel() }
    for task in tasks { try await task.value }
    throw error
  }
  for task in tasks { task.cancel() }
  for task in tasks { try await task.value }
  return result
}

/// Waits until a record of a promise satisfies a condition, looking at each change of the ledger.
func record(
  of id: PromiseID, in ledger: Ledger, where condition: (PromiseRecord) -> Bool
) async throws -> PromiseRecord {
  for try await _ in ledger.events() {
    if let record = try await ledger.record(of: id), condition(record) { return record }
  }
  throw LedgerError(.closed, "The ledger was closed.")
}
