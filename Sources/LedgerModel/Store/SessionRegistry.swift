/// The registry in which a session shows that it is active, and from which other sessions learn that it no
/// longer is.
///
/// The log records which sessions opened and ended, but no log can show that a process is gone.
public protocol SessionRegistry: Sendable {
  /// Begins a session, or resumes it after a freeze. From then on, other sessions find it alive.
  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold

  /// Checks whether sessions that have not ended in the log are still active.
  ///
  /// - Returns: One finding for each session, in the order of the sessions.
  func findings(of sessions: [SessionRecord]) throws(LedgerError) -> [SessionFinding]

  /// Returns dead sessions that left something behind, as far as a bounded search finds them. Some may not be
  /// in the log.
  func deadSessions() -> [SessionID]

  /// Removes the leftovers of ended sessions, except for sessions that turn out to be alive.
  func removeLeftovers(of sessions: [SessionID])
}

/// A session's proof to others that it is active.
public protocol SessionHold: AnyObject, Sendable {
  /// Releases every lock and descriptor. While the process runs, other sessions find this session frozen.
  ///
  /// - Throws: `diskFull` or `ioFailure` if the freeze could not be recorded. Other sessions then consider
  ///   the session dead.
  func freeze() throws(LedgerError)

  /// Ends the session: releases everything and leaves nothing behind.
  func end()
}

/// A registry's finding about a session that has not ended.
public enum SessionFinding: Sendable, Hashable {
  /// Its process lives.
  case alive
  /// It is frozen, and may come back.
  case frozen
  /// Its process is gone.
  case dead
}
