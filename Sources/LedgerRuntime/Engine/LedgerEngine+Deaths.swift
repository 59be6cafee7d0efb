extension LedgerEngine {
  /// Looks at once whether a session ended or its process is gone. If it is, the session's end is
  /// recorded, and its runs are given back, before the next command of this session is decided.
  ///
  /// - Returns: Whether the session is gone, as far as can be seen.
  func noticeDeath(of id: SessionID) async throws -> Bool {
    let sessions = setup.sessions
    // From a copy: the look at the process must not hold up the writer.
    let (isGone, dead) = try await read(fromCopy: true) { state -> (Bool, SessionEntity?) in
      guard let session = try state.session(id), !session.isEnded else { return (true, nil) }
      let isDead = try sessions.findings(of: [session]) == [.dead]
      return (isDead, isDead ? session : nil)
    }
    if let dead { inbox.add(.deathNotice(dead, sessions)) }
    return isGone
  }
}
