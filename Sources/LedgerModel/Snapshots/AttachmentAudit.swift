/// A look at everything that a store keeps beside events, in step with a walk through these.
package protocol AttachmentAudit {
  /// Compares what is kept for the events from `first` through `last` with what they have.
  ///
  /// - Parameters:
  ///   - byteCounts: The sizes of the attachments that there are, in bytes.
  ///   - step: Called for each piece of an attachment.
  ///   - report: Gets what belongs to no event, and its position if it has one.
  /// - Throws: `corrupt` if what follows cannot be looked at.
  mutating func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError)

  /// Compares how much was looked at with how much the store says that it keeps.
  ///
  /// - Parameter report: Gets the difference, if there is one.
  /// - Returns: Whether there is more than what was looked at.
  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool
}
