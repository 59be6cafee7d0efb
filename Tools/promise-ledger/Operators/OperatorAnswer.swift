import PromiseLedger

/// The result of a change by an operator.
enum OperatorAnswer: Sendable {
  /// The change is durable.
  case done(String, PromiseRecord)
  /// The change is not possible.
  case refused(Status, String)

  init(_ amendment: WorkAmendment, done: String) {
    self =
      switch amendment {
      case .amended(let record): .done(done, record)
      case .running(let session):
        .refused(
          .busy, "Session \(session) runs the work. Wait for the end of its code, and try again.")
      case .alreadyEnded(let record): .alreadyEnded(record)
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

  /// The promise was removed after it was found.
  static let notFound = refused(.notFound, "The promise no longer exists.")

  var record: PromiseRecord? {
    if case .done(_, let record) = self { record } else { nil }
  }

  /// The change in words.
  var words: String {
    switch self {
    case .done(let words, _), .refused(_, let words): words
    }
  }

  var failure: Status.Failure {
    switch self {
    case .done: Status.Failure(.fine)
    case .refused(let status, let message): Status.Failure(status, message)
    }
  }
}
