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
}
