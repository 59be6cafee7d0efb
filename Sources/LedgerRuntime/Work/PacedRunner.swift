/// A runner whose caller moves the clock: it runs what is due, and then tells what the session waits for.
///
/// The session needs a ``MovedLedgerClock``.
package final class PacedRunner: Sendable {
  /// What can still happen in a session, after everything that was due has run.
  package struct Outlook: Sendable, Hashable {
    /// The newest event that it considers.
    package let position: Position
    /// The earliest time that work or a deadline waits for.
    package let nextTime: Timestamp?
    /// Whether the session runs calls of handlers.
    package let runsCalls: Bool
  }

  private let loop: WorkLoop

  /// Begins to run all kinds of work that the session knows, as much at once as is due.
  ///
  /// - Throws: `invalidArgument` if the session has a running runner.
  package init(_ ledger: Ledger) throws(LedgerError) {
    loop = try WorkLoop(ledger, kinds: nil, RunnerLimits(total: .max))
    // A test of kills wants to see that work was created, and not started.
    try loop.begin(startingUntil: nil)
  }

  /// Runs due work until there is no more, and all code that runs only waits.
  package func runDue() async throws -> Outlook {
    while true {
      let before = try await loop.engine.read { $0.position }
      let rest = try await loop.runDue()
      let outlook = try await outlook(rest)
      // Until nothing happens meanwhile: an event may have made other work due.
      if outlook.position == before { return outlook }
    }
  }

  private func outlook(_ rest: Timestamp?) async throws -> Outlook {
    let search = WorkSearch(now: loop.now, kinds: loop.kinds, limit: 1, laneLimit: 1)
    let session = loop.engine.setup.session
    return try await loop.engine.read(fromCopy: true) { state in
      var state = state
      let times = [rest, try state.dueWork(search).nextTime, try state.nextDeadline()?.deadline]
      return Outlook(
        position: state.position, nextTime: times.compactMap { $0 }.min(),
        runsCalls: try !state.runningHandlers(of: session).isEmpty)
    }
  }

  /// Waits until there is an event after a position.
  package func advance(past position: Position) async throws {
    try await loop.engine.advance(past: position)
  }

  /// Cancels the code that runs, gives its work back, and ends the runner.
  package func stop() async {
    await loop.stop(after: .zero)
    loop.end()
  }

  /// Cuts the code that runs off from its work, and ends the runner.
  package func abandon() {
    loop.abandonCode()
    loop.end()
  }
}
