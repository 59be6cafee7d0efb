import LedgerModel

extension StoreContract {
  /// The rules for commits and those who wait for them.
  static let commitRules = [
    Rule("A commit begins at the newest event") { (subject: StoreSubject) in
      try subject.append(300, number: 7)
      let turn = try subject.store.beginCommit(Patience(.seconds(5)))
      defer { subject.store.endCommit() }
      try requireEqual(turn.head, Position(rawValue: 300), "the head")
      try requireEqual(
        turn.headCommit, CommitID(session: StoreSubject.session, number: 7),
        "the commit of the newest event")
      try require(turn.room.bytes > 0, "there is no room in a new ledger")
    },
    Rule("Events that were decided on another position are not appended") {
      (subject: StoreSubject) in
      try subject.append(3)
      let batch = try StoreSubject.batch(1)
      let commit = CommitID(session: StoreSubject.session, number: 2)
      try subject.inTurn { store in
        try requireEqual(
          store.append(batch, commit, after: Position(rawValue: 2)),
          .headMoved(to: Position(rawValue: 3)), "the answer")
      }
      try requireEqual(subject.store.head(), Position(rawValue: 3), "the head after the refusal")
      try subject.inTurn { store in
        try requireRefusal(.corrupt, "a position that the log does not reach") {
          try store.append(batch, commit, after: Position(rawValue: 4))
        }
      }
      try requireEqual(subject.store.head(), Position(rawValue: 3), "the head after the error")
      try requireEqual(
        subject.append(1, number: 3, after: Position(rawValue: 3)), Position(rawValue: 4),
        "the end of the next commit")
    },
    Rule("A commit without events changes nothing") { (subject: StoreSubject) in
      try subject.append(3)
      let count = subject.store.changeCount
      try requireEqual(
        subject.append(0, number: 2, after: Position(rawValue: 3)), Position(rawValue: 3),
        "the end of the commit")
      try requireEqual(subject.store.head(), Position(rawValue: 3), "the head")
      try requireEqual(subject.store.changeCount, count, "the count of changes")
    },
    Rule("An answer without events is based on the newest event") { (subject: StoreSubject) in
      try subject.append(3)
      let other = StoreSubject(
        store: try subject.reopened(), sessions: subject.sessions, reopened: subject.reopened)
      try subject.inTurn { store in
        // A store that keeps other writers out refuses this commit.
        let newHead = try subject.unlessStalled {
          try other.append(1, number: 2, after: Position(rawValue: 3), patience: .milliseconds(50))
        }
        let found = try store.newerHead(than: Position(rawValue: 3))
        if let newHead { try requireEqual(found, newHead, "the newer head") }
        try requireEqual(
          subject.confirmedHead(), newHead ?? Position(rawValue: 3), "the head that is confirmed")
      }
    },
    Rule("A commit that is given up changes nothing") { (subject: StoreSubject) in
      try subject.append(3)
      try requireRefusal(.conflict, "the decision") {
        try subject.store.commit(
          CommitID(session: StoreSubject.session, number: 2),
          decide: { (_, _) throws(LedgerError) in throw LedgerError(.conflict, "no") })
      }
      try requireEqual(subject.store.head(), Position(rawValue: 3), "the head")
      try subject.append(1, number: 3, after: Position(rawValue: 3))
      try requireEqual(subject.events().count, 4, "the number of events")
    },
    Rule("Each event names the commit that wrote it") { (subject: StoreSubject) in
      try subject.append(2, number: 4)
      try subject.append(200, number: 5, after: Position(rawValue: 2))
      for (position, number) in [(1, 4), (2, 4), (3, 5), (202, 5)] as [(UInt64, UInt64)] {
        try requireEqual(
          subject.store.commit(at: Position(rawValue: position)),
          CommitID(session: StoreSubject.session, number: number), "the commit at \(position)")
      }
      try requireEqual(subject.store.commit(at: .start), nil, "the commit at the start")
      try requireEqual(
        subject.store.commit(at: Position(rawValue: 203)), nil, "the commit after the end")
    },
    Rule("A commit about deadlines changes the watched count") { (subject: StoreSubject) in
      let before = subject.store.changeCount
      try subject.append(1, needsDeadlineCheck: true)
      try require(subject.store.changeCount != before, "the count of changes is the same")
      try requireWakeUp(of: subject.store, since: before)
    },
    Rule("A commit of another wakes those who wait") { (subject: StoreSubject) in
      try subject.append(1)
      let other = StoreSubject(
        store: try subject.reopened(), sessions: subject.sessions, reopened: subject.reopened)
      let before = subject.store.changeCount
      try other.append(1, number: 2, after: Position(rawValue: 1))
      try requireWakeUp(of: subject.store, since: before)
      try require(subject.store.changeCount != before, "the count of changes is the same")
      other.store.close()
    },
    Rule("One at a time holds the lock of compaction") { (subject: StoreSubject) in
      guard let first = try subject.store.lockForCompaction() else {
        throw BrokenRule(message: "the lock is refused although nobody holds it")
      }
      try require(try subject.store.lockForCompaction() == nil, "the lock is held twice at once")
      first.release()
      guard let second = try subject.store.lockForCompaction() else {
        throw BrokenRule(message: "the lock is refused after its release")
      }
      // It is the other's now.
      first.release()
      try require(
        try subject.store.lockForCompaction() == nil, "a second release takes another's lock")
      second.release()
    },
  ]
}

/// Requires that a wait for a change that took place ends long before its time.
private func requireWakeUp(of store: any EventStore, since count: UInt32) throws {
  let start = ContinuousClock.now
  store.waitForChange(since: count, timeout: .seconds(60))
  try require(ContinuousClock.now - start < .seconds(30), "the change is not noticed")
}

extension StoreSubject {
  /// Runs `body` between the beginning and the end of a commit.
  fileprivate func inTurn(_ body: (any EventStore) throws -> Void) throws {
    _ = try store.beginCommit(Patience(.seconds(5)))
    defer { store.endCommit() }
    try body(store)
  }

  /// Returns the position that the store confirms to be the newest.
  fileprivate func confirmedHead() throws -> Position {
    var head = try store.head()
    for _ in 0..<10 {
      guard let newer = try store.newerHead(than: head) else { return head }
      head = newer
    }
    throw BrokenRule(message: "the newest position is not confirmed")
  }

  /// Runs `body`, which may have to wait for another writer.
  ///
  /// - Returns: `nil` if it waited in vain.
  fileprivate func unlessStalled<R>(_ body: () throws -> R) throws -> R? {
    do {
      return try body()
    } catch let error as LedgerError where error.code == .writerStalled {
      return nil
    }
  }
}
