/// A reason for the library to try an operation again internally; never visible to users.
package enum LookAgain: Error, Sendable {
  /// The snapshot has moved since a look-up was prepared.
  case snapshotMoved
  /// Another thread of this process needs a view to end.
  case viewTaken
  /// A wait for another writer was interrupted by a more urgent task.
  case interrupted
}

extension LedgerError {
  /// The reason to try again, if the error only asks the library to do so.
  package var lookAgain: LookAgain? { cause as? LookAgain }

  /// The error that a store throws if a change expects another summary of the snapshot than the stored one.
  ///
  /// It never reaches a user of the ledger: the library reads the snapshot again and repeats the change.
  public static var snapshotMoved: LedgerError {
    LedgerError(
      .internalInconsistency, "The snapshot moved while it was being read.",
      cause: LookAgain.snapshotMoved)
  }

  package static var viewTaken: LedgerError {
    LedgerError(
      .internalInconsistency, "A view was taken away while it was read.",
      cause: LookAgain.viewTaken)
  }

  /// The error that a store throws if a writer stopped waiting for another one because ``Patience/isOver`` said so.
  ///
  /// It never reaches a user of the ledger: the library does what is more urgent, and begins the commit again.
  public static var interrupted: LedgerError {
    LedgerError(
      .internalInconsistency,
      "The ledger was frozen or closed while it was waiting for another writer.",
      cause: LookAgain.interrupted)
  }
}
