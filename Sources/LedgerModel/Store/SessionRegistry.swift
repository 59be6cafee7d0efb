/// Where a session shows that it is at work, and others find out that it no longer is.
///
/// The log tells which sessions opened and ended. That a process is gone stands in no log.
package protocol SessionRegistry: Sendable {
  /// Begins a session, or comes back from its freeze. From then on others find it alive.
  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold

  /// Looks whether sessions that the log does not know as ended are still at work.
  ///
  /// - Returns: One finding for each session, in their order.
  func findings(of sessions: [SessionEntity]) throws(LedgerError) -> [SessionFinding]

  /// Sessions that left something behind and are dead, as far as a bounded look finds them. Some may
  /// not stand in the log.
  func deadSessions() -> [SessionID]

  /// Removes what ended sessions left behind, except of those that are alive all the same.
  func removeLeftovers(of sessions: [SessionID])
}

/// What shows others that a session is at work.
package protocol SessionHold: AnyObject, Sendable {
  /// Lets go of every lock and descriptor. While its process runs, others find the session frozen.
  ///
  /// - Throws: `diskFull`, `ioFailure`, if that could not be noted. Others then take the session for
  ///   dead.
  func freeze() throws(LedgerError)

  /// Lets go, and leaves nothing behind: the session ended.
  func end()
}

/// What a registry tells about a session that has not ended.
package enum SessionFinding: Sendable, Hashable {
  case alive
  case frozen
  case dead
}
