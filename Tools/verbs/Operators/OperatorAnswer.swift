import LedgerRuntime

/// The result of a change by an operator.
enum OperatorAnswer: Sendable {
  /// The change is durable.
  case done(String, Target)
  /// The change is not possible.
  case refused(Status, String)

  init(_ amendment: WorkAmendment, done: String) {
    self =
      switch amendment {
      case .amended(let record): .done(done, .promise(record))
      case .running(let session):
        .refused(
          .busy, "Session \(session) runs the work. Wait for the end of its code, and try again.")
      case .alreadyEnded(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
  }

  init(_ resolution: PromiseResolution, done: String) {
    self =
      switch resolution {
      case .resolved(let record), .deduplicated(let record): .done(done, .promise(record))
      case .alreadyResolved(let record), .abandoned(let record): .alreadyEnded(record)
      case .notFound: .notFound
      }
  }

  static func alreadyEnded(_ record: PromiseRecord) -> Self {
    let state =
      switch (record.status, record.outcomeKind) {
      case (.resolved, .timedOut?): "timed out"
      case (.resolved, let outcome?): "\(outcome)"
      default: "\(record.status)"
      }
    return .refused(.usage, "Promise \(record.id) is \(state), so nothing was changed.")
  }

  static func alreadyEnded(_ record: HandlerRecord) -> Self {
    .refused(.usage, "Handler \(record.id) is \(record.status), so nothing was changed.")
  }

  /// It was removed after it was found.
  static let notFound = refused(.notFound, "The promise or handler no longer exists.")
}
