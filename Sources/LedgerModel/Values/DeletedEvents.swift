/// The reason why events cannot be read: compaction deleted them.
package struct DeletedEvents: Error, Sendable, Hashable {
  /// The position up to which events were deleted; reading after it works.
  package let through: Position

  package init(through: Position) {
    self.through = through
  }
}

extension LedgerError {
  /// The position up to which events were deleted, if that is why they cannot be read.
  public var eventsDeletedThrough: Position? { (cause as? DeletedEvents)?.through }

  /// The error for events after a position that compaction deleted.
  ///
  /// - Parameter through: The position up to which events were deleted.
  public static func eventsDeleted(after position: Position, through: Position) -> LedgerError {
    LedgerError(
      .eventsDeleted,
      "The events after position \(position) were deleted by compaction up to position \(through). Look at the ledger's state instead, and read events after position \(through).",
      cause: DeletedEvents(through: through))
  }

  /// The error for a value beside an event that compaction deleted.
  ///
  /// - Parameter through: The position up to which events were deleted.
  public static func attachmentDeleted(of position: Position, through: Position) -> LedgerError {
    LedgerError(
      .eventsDeleted,
      "The value stored at position \(position) was deleted by compaction up to position \(through), with the record that referred to it. Look up the record again.",
      cause: DeletedEvents(through: through))
  }

  /// The error for a value that is missing although its record still refers to it.
  package static func missingValue(_ cause: LedgerError) -> LedgerError {
    LedgerError(
      .corrupt, "A value that a record refers to is missing. Restore the ledger from a copy.",
      cause: cause)
  }
}
