import Logging

/// Runs calls again that sessions gave back, as ``LedgerConfiguration/UnfinishedCallPolicy/retry`` specifies.
struct RetryWatch: Sendable {
  private let engine: LedgerEngine
  /// Weak, because the watch must not keep the session from ending.
  private weak let ledger: Ledger?

  init(_ ledger: Ledger) {
    engine = ledger.engine
    self.ledger = ledger
  }

  /// Looks for calls whenever the ledger changes, until the session ends.
  func start() {
    Task.detached { await run() }
  }

  /// An attempt of a call; each is tried once, until this session comes back from a freeze.
  fileprivate struct Attempt: Hashable {
    let handler: HandlerID
    let call: CallID
    let number: Int

    init(_ call: UnfinishedCall) {
      handler = call.handler
      self.call = call.id
      number = call.attempt
    }
  }

  /// The state of the watch.
  private struct Memory: Sendable {
    /// The position up to which it looked.
    var position = Position.start
    /// The last event of its own session.
    var ownPosition: Position?
    var tried: Set<Attempt> = []
  }

  private func run() async {
    var memory = Memory()
    while true {
      do {
        let calls = try await look(&memory)
        guard retry(calls, unless: &memory.tried) else { return }
        try await engine.changed(after: memory.position)
      } catch {
        guard await waitsOn(after: error) else { return }
      }
    }
  }

  /// Looks for calls that are offered: at first, and after the session was unfrozen, for all of them; later,
  /// for those whose handlers changed, unless a snapshot hides changes that it has not seen.
  private func look(_ memory: inout Memory) async throws -> [UnfinishedCall] {
    let session = engine.setup.session
    let known = memory
    let (changed, seen) = try await engine.read { state in
      var seen = known
      seen.position = state.position
      seen.ownPosition = try state.session(session)?.lastPosition
      let isBack = seen.ownPosition != known.ownPosition
      seen.tried = isBack ? [] : known.tried.filter { state.mayOffer($0) }
      let seesAll = isBack || state.base > known.position
      return (seesAll ? nil : state.handlers.openCalls.offered, seen)
    }
    let calls =
      if let changed { changed } else {
        try await engine.read(fromCopy: true) { state in try state.openCalls().offered }
      }
    memory = seen
    return calls
  }

  /// Waits until another look may be worthwhile; returns `false` if the session ended.
  private func waitsOn(after error: any Error) async -> Bool {
    let code = (error as? LedgerError)?.code
    do {
      if code == .frozen {
        // Calls may be set not to wait for a frozen session, but the watch does.
        try await engine.phase.waitWhileFrozen()
      } else {
        let position = engine.replica.position
        if code != .closed, code != .sessionEnded {
          engine.setup.logger.warning(
            "the search for unfinished calls failed", metadata: ["error": "\(error)"])
        }
        try await engine.changed(after: position)
      }
      return true
    } catch {
      return false
    }
  }

  /// Runs again the calls that were not tried yet; returns `false` if the ledger is gone.
  ///
  /// It is separate from the loop, which must hold no reference to the ledger while it waits.
  private func retry(_ calls: [UnfinishedCall], unless tried: inout Set<Attempt>) -> Bool {
    guard let ledger else { return false }
    for call in calls where !ledger.runningCalls.contains(call.id) {
      if tried.insert(Attempt(call)).inserted { retry(call, in: ledger) }
    }
    return true
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

extension LedgerState {
  /// Whether an attempt may still belong to an unfinished call.
  fileprivate func mayOffer(_ attempt: RetryWatch.Attempt) -> Bool {
    guard let handler = handlers[attempt.handler] else { return true }
    return handler.openCalls[attempt.call].map { Int($0.attempt) == attempt.number } ?? false
  }
}

extension [StartedCall] {
  /// The calls that are offered.
  fileprivate var offered: [UnfinishedCall] {
    filter(\.call.isOffered).map { UnfinishedCall($0) }
  }
}

extension OpenCall {
  /// Whether its session ended or froze. A call given back for another reason waits for an explicit request.
  fileprivate var isOffered: Bool {
    switch release?.reason {
    case .frozen, .closed, .died: true
    case .cancelled, .notRunnable, nil: false
    }
  }
}
