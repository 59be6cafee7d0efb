import LedgerPromises

extension LedgerEngine {
  /// Checks immediately whether a session ended or its process is gone. If the process is gone, the session's
  /// end is recorded, and its runs are given back, before the next command of this session is decided.
  ///
  /// - Returns: Whether the session is gone, as far as is known.
  package func noticeDeath(of id: SessionID) async throws -> Bool {
    let sessions = setup.sessions
    // This reads from a copy, because checking the process must not delay the writer.
    let (isGone, dead) = try await read(fromCopy: true) { state -> (Bool, SessionEntity?) in
      guard let session = try state.session(id), !session.isEnded else { return (true, nil) }
      let isDead = try sessions.findings(of: [session]) == [.dead]
      return (isDead, isDead ? session : nil)
    }
    if let dead { inbox.add(.deathNotice(dead, sessions)) }
    return isGone
  }

  /// Ends the session as the death of its process would: nothing more is written, not even its end.
  ///
  /// Its registry must find it dead from then on.
  package func die() async {
    let end = try? sessionEnd()
    let error = LedgerError(
      .sessionEnded, "The process of this session was killed by a test. Open the ledger again.")
    guard inbox.add(.end(error)) else { return }
    try? await end?.value
  }
}
