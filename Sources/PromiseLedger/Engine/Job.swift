import Synchronization

/// A command on its way to the writer, with whoever waits for the answer.
package final class Job: Sendable {
  /// Gets the end of the commit that the command was decided in.
  package typealias Delivery = @Sendable (LedgerError?) -> Void

  /// Decides the command; what it returns delivers the answer once the commit ended.
  package let decide: @Sendable (inout Decision) -> Delivery

  /// Delivers a failure without deciding.
  package let fail: @Sendable (any Error) -> Void

  package init<Answer>(
    _ command: some Command<Answer>,
    answer: @escaping @Sendable (Result<Answer, any Error>) -> Void
  ) {
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
    fail = { answer(.failure($0)) }
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
