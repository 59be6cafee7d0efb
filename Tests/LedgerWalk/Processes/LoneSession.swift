package import LedgerModel
package import LedgerRuntime
import LedgerSystem
import Synchronization

/// A session without threads: the state and the committer of a session's engine, which the caller
/// drives.
package final class LoneSession {
  package let replica: Replica
  private let inbox = Inbox()
  private let committer: GroupCommitter
  private let now: () -> Duration
  private let stallTimeout: Duration

  /// - Parameters:
  ///   - replica: The state, which sessions of one process may share.
  ///   - stallTimeout: The time that a command waits for another writer.
  ///   - now: The clock that measures waits.
  package init(
    _ id: SessionID, _ role: SessionRole, _ replica: Replica, clock: any LedgerClock,
    sessions: any SessionRegistry = UnwatchedSessions(), stallTimeout: Duration = .seconds(5),
    now: @escaping () -> Duration = { MonotonicClock.now }
  ) {
    (self.replica, self.stallTimeout, self.now) = (replica, stallTimeout, now)
    committer = GroupCommitter(
      inbox: inbox, replica: replica, clock: clock, session: id, role: role, sessions: sessions,
      now: now)
  }

  /// Commits a command alone.
  ///
  /// - Parameters:
  ///   - isFirst: Whether it is about the session itself, which need not be open.
  ///   - presumedDead: The session whose death the command records.
  /// - Throws: The error that the command is answered with.
  package func commit<Answer>(
    _ command: some Command<Answer>, to store: any EventStore, isFirst: Bool = false,
    presumedDead: SessionEntity? = nil
  ) throws -> Answer {
    let box = AnswerBox<Answer>()
    let job = Job(command, submittedAt: now(), presumedDead: presumedDead) { box.set($0) }
    if !isFirst { inbox.add(job) }
    let error = committer.commitGroup(
      to: store, first: isFirst ? [job] : [], takesCommands: !isFirst,
      stallTimeout: stallTimeout)
    if let result = box.take() { return try result.get() }
    throw error ?? LedgerError(.internalInconsistency, "A command was not answered.")
  }
}

/// The answer to a command.
private final class AnswerBox<Answer: Sendable>: Sendable {
  private let contents = Mutex<Result<Answer, any Error>?>(nil)

  func set(_ result: Result<Answer, any Error>) { contents.withLock { $0 = result } }

  func take() -> Result<Answer, any Error>? {
    contents.withLock { contents in
      defer { contents = nil }
      return contents
    }
  }
}
