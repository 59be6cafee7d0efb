package import LedgerModel

extension EventStore {
  /// Commits the events of a decision, without an engine.
  ///
  /// - Parameters:
  ///   - position: The position up to which the caller has applied events.
  ///   - catchUp: Receives every frame with events after `position`, in order.
  ///   - decide: Receives the head and the room left, and returns the events to append; an empty result means
  ///     no commit. It is called again if another writer came first.
  /// - Returns: The new head.
  @discardableResult
  package func commit(
    _ commit: CommitID, after position: Position = .start,
    patience: Patience = Patience(.seconds(5)),
    catchUp: (FrameView) throws(LedgerError) -> Void = { _ in },
    decide: (Position, CommitRoom) throws(LedgerError) -> EventBatch
  ) throws(LedgerError) -> Position {
    let turn = try beginCommit(patience)
    defer { endCommit() }
    var (head, applied) = (turn.head, position)
    while true {
      while applied < head { applied = try read(after: applied, limit: .max, catchUp) }
      let batch = try decide(head, turn.room)
      guard !batch.isEmpty else { return head }
      switch try append(batch, commit, after: head) {
      case .appended(let end): return end
      case .headMoved(let newHead): head = newHead
      }
    }
  }
}
