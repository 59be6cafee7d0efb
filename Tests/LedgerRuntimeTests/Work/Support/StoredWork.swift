import PromiseLedgerTestSupport

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// A ledger on a store of the test, whose session knows scripted work, and what else is registered.
func openWork(
  on store: some EventStore, log: AwaitedLog? = nil,
  pollInterval: Duration = .milliseconds(500), clock: (any LedgerClock)? = nil,
  handlers: HandlerRegistry = HandlerRegistry(),
  _ code: @escaping WorkLedger.Code = { _, _ in 0 }
) async throws -> Ledger {
  var configuration = LedgerConfiguration()
  configuration.automaticCompaction = nil
  configuration.pollInterval = pollInterval
  configuration.clock = clock
  if let log { configuration.logger = log.logger }
  configuration.handlers = handlers
  try configuration.handlers.register(ScriptedWork.self) { ScriptedWork.Script(code: code) }
  return try await Ledger.open(
    { () throws(LedgerError) in store }, UnwatchedSessions(), as: .app,
    configuration: configuration)
}
