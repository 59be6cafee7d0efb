/// A payload whose values and texts can be replaced.
protocol RedactablePayload: EventPayload {
  /// Copies all fields up to the last.
  ///
  /// - Parameter isJoint: Whether the subject is settled by other promises.
  /// - Returns: The form of the last field, and whether it is the attachment.
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool)
}

/// A payload that says nothing but numbers, times and ids.
protocol PlainPayload: RedactablePayload {}

extension PlainPayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) { (.kept, false) }
}

/// A payload that is the text of a reason.
protocol ReasonPayload: RedactablePayload {}

extension ReasonPayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    try fields.redactText()
    return (.kept, false)
  }
}

extension LedgerCreated: PlainPayload {}
extension SessionFrozen: PlainPayload {}
extension SessionUnfrozen: PlainPayload {}
extension SessionClosed: PlainPayload {}
extension PromiseConsumed: PlainPayload {}
extension WorkStarted: PlainPayload {}
extension HandlerCallReleased: PlainPayload {}
extension RetentionApplied: PlainPayload {}
extension EventsDeleted: PlainPayload {}
extension PromiseAbandoned: ReasonPayload {}
extension WorkCancelRequested: ReasonPayload {}

extension SnapshotTaken: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    try fields.keep(16)
    try fields.redactDigest()
    try fields.redactDigest()
    return (.kept, false)
  }
}

extension SessionOpened: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    try fields.keep(8)
    try fields.redactText()
    try fields.redactText()
    try fields.keepText()
    return (.kept, false)
  }
}
