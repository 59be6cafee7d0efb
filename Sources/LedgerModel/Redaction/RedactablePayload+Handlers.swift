extension HandlerCreated: RedactablePayload {
  /// Leaves out the key: the id follows from it, and would not follow from another.
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(1)
    let scopeCount: UInt16 = try fields.keepInteger()
    try fields.keep(4)
    try fields.keepText()
    if flags & 2 != 0 { try fields.dropText(flag: 2) }
    if flags & 4 != 0 { try fields.redactText() }
    for _ in 0..<scopeCount { try fields.redactIdentifier() }
    try fields.references()
    return (.arguments, flags & 1 != 0)
  }
}

extension HandlerRebound: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(7)
    try fields.references()
    return (.arguments, flags & 1 != 0)
  }
}

extension HandlerCallStarted: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(23)
    try fields.references()
    return (.arguments, flags & 1 != 0)
  }
}

extension HandlerInvalidated: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(23)
    try fields.redactText()
    try fields.references()
    return (.arguments, flags & 1 != 0)
  }
}

extension HandlerCallFinished: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    try fields.endOfCall()
  }
}

extension HandlerInvalidationFinished: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    try fields.endOfCall()
  }
}

extension RedactingCursor {
  fileprivate mutating func endOfCall()
    throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool)
  {
    let flags: UInt8 = try keepInteger()
    let outcome: UInt8 = try keepInteger()
    try keep(22)
    let hasValue = HandlerCallFinished.Outcome(rawValue: outcome) == .returned
    return (.report(hasValue: hasValue), flags & 1 != 0)
  }
}
