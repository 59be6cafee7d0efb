package import PromiseLedger
package import PromiseLedgerTesting

/// A ledger whose sessions know scripted work.
package struct WorkLedger: Sendable {
  package let temporary: TemporaryLedger
  package let clock: (any LedgerClock)?

  package init(clock: (any LedgerClock)? = nil) throws {
    self.init(try TemporaryLedger(), clock: clock)
  }

  /// Sessions on the same ledger with another clock.
  package init(_ temporary: TemporaryLedger, clock: (any LedgerClock)?) {
    self.temporary = temporary
    self.clock = clock
  }

  package typealias Code =
    @Sendable (ScriptedWork, WorkCall<ScriptedWork.Script>) async throws -> Int

  package func open(
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
