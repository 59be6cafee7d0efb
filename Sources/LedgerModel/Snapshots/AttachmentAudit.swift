/// A check of all values that a store keeps beside events, in step with a walk through the events.
public protocol AttachmentAudit {
  /// Compares the values stored for the events from `first` through `last` with the sizes that the events
  /// declare.
  ///
  /// - Parameters:
  ///   - byteCounts: The sizes of the existing attachments, in bytes.
  ///   - step: Called for each piece of an attachment.
  ///   - report: Receives each value that belongs to no event, and its position if it has one.
  /// - Throws: `corrupt` if the rest cannot be examined.
  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError)

  /// Compares the number of values examined with the number that the store reports.
  ///
  /// - Parameter report: Receives the difference, if there is one.
  /// - Returns: Whether the store has more values than were examined.
  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool
}
