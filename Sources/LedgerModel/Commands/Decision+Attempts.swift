// MARK: - Attempts

extension Decision {
  /// The number of the attempt that runs now, if the code of an attempt may record something.
  ///
  /// The attempt is started again if the session gave it back when it froze or because the code waited, while
  /// the code went on in memory.
  ///
  /// - Parameter attempt: The number of the attempt that the code belongs to.
  /// - Returns: `nil` if the work has ended, another attempt was started, the attempt was given back for another
  ///   reason, the work was parked meanwhile, or its lane has no room.
  mutating func takeUp(_ id: PromiseID, _ attempt: UInt32) throws(LedgerError) -> UInt32? {
    guard let entity = try promise(id), let progress = entity.progress,
      entity.status == .pending, progress.belongs(toAttempt: attempt, in: context.session)
    else { return nil }
    guard progress.release != nil else { return attempt }
    guard let place = entity.workPlace else { return nil }
    try requireOwnSession()
    var lanes = LaneOccupancies()
    guard try lanes.admits(id, place, in: self) else { return nil }
    try append(WorkStarted(attempt: attempt + 1), to: id.entityID)
    return attempt + 1
  }

  /// The start of the newest attempt, which is the cause of what the attempt records.
  func start(ofNewestAttempt id: PromiseID) throws(LedgerError) -> Position {
    try promise(id)?.progress?.start?.position ?? .start
  }
}

extension StoredError {
  /// The error without its payload and most of its message, for an event that records a failure.
  var summary: StoredError { summary(byteCount: 1_024) }

  /// - Parameter byteCount: The maximum size of the message, in bytes.
  func summary(byteCount: Int) -> StoredError {
    StoredError(domain: domain, code: code, message: message.cut(toByteCount: byteCount))
  }
}
