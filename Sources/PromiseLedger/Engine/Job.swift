import LedgerSystem
import Synchronization

/// A command on its way to the writer, with whoever waits for the answer.
package final class Job: Sendable {
  /// Gets the end of the commit that the command was decided in.
  package typealias Delivery = @Sendable (LedgerError?) -> Void

  /// Decides the command; what it returns delivers the answer once the commit ended.
  package let decide: @Sendable (inout Decision) -> Delivery

  /// Delivers a failure without deciding.
  package let fail: @Sendable (any Error) -> Void

  /// When it was made: from then on it waits.
  let submittedAt: Duration

  /// Whether it is in the inbox, not taken by the writer and not taken back by its caller. Changed
  /// under the inbox's lock only.
  let isWaiting = Atomic<Bool>(false)

  /// - Parameters:
  ///   - command: What is to be decided.
  ///   - submittedAt: When it begins to wait.
  ///   - isMoot: Asked before deciding; if true, nobody gets an answer.
  ///   - answer: Gets the answer once it is durable.
  package init<Answer>(
    _ command: some Command<Answer>, submittedAt: Duration = MonotonicClock.now,
    unless isMoot: @escaping @Sendable () -> Bool = { false },
    answer: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
    self.submittedAt = submittedAt
    decide = { decision in
      if isMoot() { return { _ in } }
      let result = Result { () throws(LedgerError) in try decision.run(command) }
      return { failure in
        if let failure {
          answer(.failure(failure))
        } else {
          answer(result.mapError { $0 })
        }
      }
    }
    fail = { answer(.failure($0)) }
  }
}

extension Job {
  /// Records that a session died, unless it shows a sign of life when the command is decided: that
  /// may be long after it was found.
  static func deathNotice(_ session: SessionEntity, _ directory: LedgerDirectory) -> Job {
    Job(
      CloseSession(id: session.id, reason: .died),
      unless: { SessionLock.probe(directory, session) != .dead },
      answer: { result in
        if case .success = result { SessionLock.removeFiles(directory, [session.id]) }
      })
  }
}

/// Keeps why a command was refused, for whoever does not wait for its answer.
final class Refusal: Sendable {
  private let contents = Mutex<LedgerError?>(nil)

  var error: LedgerError? { contents.withLock { $0 } }

  func note(_ result: Result<Void, any Error>) {
    if case .failure(let error) = result {
      contents.withLock { $0 = LedgerError.mapping(error) }
    }
  }
}
