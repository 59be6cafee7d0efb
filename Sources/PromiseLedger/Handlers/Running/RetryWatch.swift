import Logging

/// Runs calls again that sessions gave back, as ``UnfinishedCallPolicy/retry`` has it.
struct RetryWatch: Sendable {
  private let engine: LedgerEngine
  /// Must not keep the session from ending.
  private weak let ledger: Ledger?

  init(_ ledger: Ledger) {
    engine = ledger.engine
    self.ledger = ledger
  }

  /// Looks whenever the ledger changed, until the session ends.
  func start() {
    Task.detached { await run() }
  }

  /// An attempt of a call; each is tried once, until this session comes back from a freeze.
  private struct Attempt: Hashable {
    let call: CallID
    let number: Int
  }

  private func run() async {
    var tried: Set<Attempt> = []
    var sessionPosition = Position.start
    while true {
      let session = engine.setup.session
      let found = try? await engine.read { state in
        (state.position, try state.session(session)?.lastPosition, try Self.offered(state))
      }
      guard let (position, ownPosition, calls) = found else { return }
      if let ownPosition, ownPosition != sessionPosition {
        sessionPosition = ownPosition
        tried = []
      }
      // Without a strong reference while it waits.
      guard let ledger else { return }
      for call in calls where !ledger.runningCalls.contains(call.id) {
        guard tried.insert(Attempt(call: call.id, number: call.attempt)).inserted else { continue }
        retry(call, in: ledger)
      }
      do {
        try await waitForChange(after: position)
      } catch {
        return
      }
    }
  }

  private func waitForChange(after position: Position) async throws {
    try await engine.changed(after: position)
  }

  /// The calls whose sessions ended or froze; those that were given back for another reason wait
  /// for somebody to ask for them.
  private static func offered(
    _ state: LedgerState
  ) throws(LedgerError) -> [UnfinishedCall] {
    try state.openCalls().filter { started in
      switch started.call.release?.reason {
      case .frozen, .closed, .died: true
      case .cancelled, .notRunnable, nil: false
      }
    }.map { UnfinishedCall($0) }
  }

  private func retry(_ call: UnfinishedCall, in ledger: Ledger) {
    Task {
      do {
        try await ledger.retry(call)
      } catch {
        ledger.configuration.logger.warning(
          "an unfinished call could not be run again",
          metadata: [
            "handler": "\(call.handler)", "call": "\(call.id)", "error": "\(error)",
          ])
      }
    }
  }
}
