import LedgerSystem
import Synchronization

/// A command on its way to the writer, with the task that waits for the answer.
package final class Job: Sendable {
  /// Gets the end of the commit that the command was decided in.
  package typealias Delivery = @Sendable (LedgerError?) -> Void

  /// Decides the command; what it returns delivers the answer once the commit ended.
  package let decide: @Sendable (inout Decision) -> Delivery

  /// Adds what the command is known to look up in a session.
  let addSubjects: @Sendable (inout SnapshotNeeds, SessionID) -> Void

  /// Delivers a failure without deciding.
  package let fail: @Sendable (any Error) -> Void

  /// The session whose death the command records, if it does. It was found dead, and is looked at again
  /// before the command is decided.
  let presumedDead: SessionEntity?

  /// When it was made: from then on it waits.
  let submittedAt: Duration

  /// Whether it is in the inbox, not taken by the writer and not taken back by its caller. Changed
  /// under the inbox's lock only.
  let isWaiting = Atomic<Bool>(false)

  /// - Parameters:
  ///   - command: What is to be decided.
  ///   - submittedAt: When it begins to wait.
  ///   - presumedDead: The session whose death the command records.
  ///   - answer: Gets the answer once it is durable.
  package init<Answer>(
    _ command: some Command<Answer>, submittedAt: Duration = MonotonicClock.now,
    presumedDead: SessionEntity? = nil,
    answer: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    self.submittedAt = submittedAt
    self.presumedDead = presumedDead
    decide = { decision in
      let result = Result { () throws(LedgerError) in try decision.run(command) }
      return { failure in
        if let failure {
          answer(.failure(failure))
        } else {
          answer(result.mapError { $0 })
        }
      }
    }
    addSubjects = { command.addSubjects(to: &$0, in: $1) }
    fail = { answer(.failure($0)) }
  }
}

extension Job {
  /// Records that a session died, which was found dead. The commit may be long after that, so the
  /// committer drops the notice of a session that shows a sign of life meanwhile.
  static func deathNotice(_ session: SessionEntity, _ sessions: any SessionRegistry) -> Job {
    Job(
      CloseSession(id: session.id, reason: .died), presumedDead: session,
      answer: { result in
        if case .success = result { sessions.removeLeftovers(of: [session.id]) }
      })
  }
}

/// Keeps why a command was refused, if no task waits for its answer.
final class Refusal: Sendable {
  private let contents = Mutex<LedgerError?>(nil)

  var error: LedgerError? { contents.withLock { $0 } }

  func note(_ result: Result<Void, any Error>) {
    if case .failure(let error) = result {
      contents.withLock { $0 = LedgerError.mapping(error) }
    }
  }
}
