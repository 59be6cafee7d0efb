extension PromiseCreated: RedactablePayload {
  /// Leaves out the key: the id follows from it, and would not follow from another.
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(1)
    let tagCount: UInt16 = try fields.keepInteger()
    try fields.keep(1)
    let source: UInt8 = try fields.keepInteger()
    try fields.keep(2)
    if flags & 1 != 0 { try fields.keep(8) }
    try fields.keepText()
    if flags & 2 != 0 { try fields.dropText(flag: 2) }
    if flags & 4 != 0 { try fields.redactText() }
    if flags & 8 != 0 { try fields.redactText() }
    for _ in 0..<tagCount { try fields.redactText() }
    if flags & 32 != 0 { try fields.keep(16) }
    guard flags & 16 != 0, source == Source.Number.work.rawValue else { return (.kept, false) }
    try fields.keepText()
    try fields.trigger()
    try fields.options()
    try fields.references()
    return (.arguments, flags & 64 != 0)
  }
}

extension PromiseResolved: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    let outcome: UInt8 = try fields.keepInteger()
    try fields.keep(14)
    if flags & 1 != 0 { try fields.redactText() }
    let isOfAttempt = flags & 4 != 0
    if isOfAttempt { try fields.keep(4) }
    let ending: RedactedEnding =
      switch PromiseOutcomeKind(rawValue: outcome) {
      // The outcome of a joint is the id of an input.
      case .fulfilled where isJoint: .kept
      case .rejected: .error
      default: .value
      }
    return (isOfAttempt ? .afterEffects(ending) : ending, flags & 2 != 0)
  }
}

// MARK: - Work

extension WorkReleased: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let reason = Reason(rawValue: try fields.keepInteger())
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(14)
    if reason == .retrying { try fields.keep(8) }
    if reason == .waiting { try fields.trigger() }
    if flags & 4 != 0 {
      let count: UInt32 = try fields.keepInteger()
      try fields.keep(16 * Int(count))
    }
    if flags & 2 != 0 {
      let count: UInt32 = try fields.keepInteger()
      for _ in 0..<count {
        try fields.keep(4)
        try fields.step()
      }
    }
    return (flags & 1 != 0 ? .error : .kept, false)
  }
}

extension WorkStepFinished: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    let outcome: UInt8 = try fields.keepInteger()
    try fields.keep(22)
    try fields.step()
    let typeTag = try fields.keepText()
    let ending: RedactedEnding =
      switch Outcome(rawValue: outcome) {
      // The end of a pause is a time.
      case .value where typeTag == pauseTypeTag: .kept
      case .failure: .error
      default: .value
      }
    return (.afterEffects(ending), flags & 1 != 0)
  }
}

extension WorkAmended: RedactablePayload {
  static func redact(
    _ fields: inout RedactingCursor, isJoint: Bool
  ) throws(PayloadDamage) -> (ending: RedactedEnding, isDetached: Bool) {
    let flags: UInt8 = try fields.keepInteger()
    try fields.keep(7)
    if flags & 2 != 0 { try fields.trigger() }
    if flags & 4 != 0 { try fields.options() }
    guard flags & 8 != 0 else { return (.kept, false) }
    try fields.references()
    return (.arguments, flags & 1 != 0)
  }
}
