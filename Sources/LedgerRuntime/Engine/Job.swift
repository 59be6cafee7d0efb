import LedgerSystem
import Synchronization

/// A command on its way to the writer, with the task that waits for the answer.
package final class Job: Sendable {
  /// Receives the result of the commit in which the command was decided.
  package typealias Delivery = @Sendable (LedgerError?) -> Void

  /// Decides the command; the function that it returns delivers the answer once the commit has ended.
  package let decide: @Sendable (inout Decision) -> Delivery

  /// Adds the entities that the command is known to look up in a session.
  let addSubjects: @Sendable (inout SnapshotNeeds, SessionID) -> Void

  /// Delivers a failure without deciding.
  package let fail: @Sendable (any Error) -> Void

  /// The session whose death the command records, if it does. It was found dead, and is checked again before
  /// the command is decided.
  let presumedDead: SessionEntity?

  /// The time of its creation, from which its wait is measured.
  let submittedAt: Duration

  /// Whether it is in the inbox, neither taken by the writer nor withdrawn by its caller. Changed only under
  /// the inbox's lock.
  let isWaiting = Atomic<Bool>(false)

  /// - Parameters:
  ///   - command: The command to decide.
  ///   - submittedAt: The time from which its wait is measured.
  ///   - presumedDead: The session whose death the command records.
  ///   - answer: Receives the answer once it is durable.
  // Inlined, so that the closures are compiled for the type of the command.
  @inline(__always)
  package init<Answer>(
    _ command: some Command<Answer>, submittedAt: Duration = MonotonicClock.now,
    presumedDead: SessionEntity? = nil,
    answer: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    self.submittedAt = submittedAt
    self.presumedDead = presumedDead
    let command = Shared(command)
    decide = { decision in
      let result = Result { () throws(any Error) in try decision.run(command.value) }
      return { failure in answer(failure.map { .failure($0) } ?? result) }
    }
    addSubjects = { command.value.addSubjects(to: &$0, in: $1) }
    fail = { answer(.failure($0)) }
  }

  /// A value that several closures share, because copying it takes time.
  private final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }
}

extension Job {
  /// Makes a job that records the death of a session that was found dead. The commit may be much later, so
  /// the committer drops the notice if the session shows a sign of life meanwhile.
  static func deathNotice(_ session: SessionEntity, _ sessions: any SessionRegistry) -> Job {
    Job(
      CloseSession(id: session.id, reason: .died), presumedDead: session,
      answer: { result in
        if case .success = result { sessions.removeLeftovers(of: [session.id]) }
      })
  }
}

/// Keeps the reason why a command was refused, if no task waits for its answer.
final class Refusal: Sendable {
  private let contents = Mutex<LedgerError?>(nil)

  var error: LedgerError? { contents.withLock { $0 } }

  func note(_ result: Result<Void, any Error>) {
    if case .failure(let error) = result {
      contents.withLock { $0 = LedgerError.mapping(error) }
    }
  }
}
