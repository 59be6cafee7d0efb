/// A reason for which code of work cannot have another child yet, or any more; never visible to users.
package enum ChildRefusal: Error, Sendable {
  /// Another attempt was started, or this one was given back.
  case attemptEnded
  /// The work was cancelled, and its code must learn of that first.
  case parentCancelled
}

extension LedgerError {
  /// The reason for which a child was refused.
  package var childRefusal: ChildRefusal? { cause as? ChildRefusal }

  static func attemptEnded(of parent: PromiseEntity) -> LedgerError {
    LedgerError(
      .superseded,
      "Another attempt of \(parent.name) was started, so the code of this one cannot start anything more.",
      cause: ChildRefusal.attemptEnded)
  }

  static func cancelled(_ parent: PromiseEntity) -> LedgerError {
    LedgerError(
      .superseded, "\(parent.name) was cancelled, so its code must not start anything more.",
      cause: ChildRefusal.parentCancelled)
  }
}
