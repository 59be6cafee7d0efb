extension Redactor {
  /// The payload and the attachment of an event, with their values and texts replaced.
  ///
  /// Of an event that this build cannot read, everything is replaced.
  ///
  /// - Parameter isJoint: Whether the subject is settled by other promises.
  package func redact(
    _ kind: EventKind, version: UInt16, _ payload: [UInt8], attachment: [UInt8], isJoint: Bool
  ) -> (payload: [UInt8], attachment: [UInt8]) {
    let unread = (bytes(payload), bytes(attachment))
    guard let type = kind.payload as? any RedactablePayload.Type, version > 0,
      version <= type.newestVersion, (try? type.init(decoding: payload)) != nil
    else { return unread }
    return (try? redact(type, payload, attachment, isJoint: isJoint)) ?? unread
  }

  private func redact(
    _ type: any RedactablePayload.Type, _ payload: [UInt8], _ attachment: [UInt8], isJoint: Bool
  ) throws(PayloadDamage) -> (payload: [UInt8], attachment: [UInt8]) {
    var fields = RedactingCursor(payload, self)
    let (ending, isDetached) = try type.redact(&fields, isJoint: isJoint)
    guard isDetached else {
      fields.endingOrRest(ending)
      return (try fields.finish(), bytes(attachment))
    }
    return (try fields.finish(), self.ending(ending, attachment))
  }

  /// The payload of an event that was checked before.
  func payload<Payload: RedactablePayload>(
    _ type: Payload.Type, _ payload: [UInt8], isJoint: Bool = false
  ) throws(PayloadDamage) -> [UInt8] {
    var fields = RedactingCursor(payload, self)
    let (ending, isDetached) = try type.redact(&fields, isJoint: isJoint)
    if !isDetached { fields.endingOrRest(ending) }
    return try fields.finish()
  }

  /// The attachment of an event.
  func attachment<Payload: RedactablePayload>(
    _ type: Payload.Type, of payload: [UInt8], _ attachment: [UInt8], isJoint: Bool = false
  ) throws(PayloadDamage) -> [UInt8] {
    var fields = RedactingCursor(payload, self)
    let ending = try type.redact(&fields, isJoint: isJoint).ending
    return self.ending(ending, attachment)
  }

  /// The bytes of a last field.
  func ending(_ ending: RedactedEnding, _ bytes: [UInt8]) -> [UInt8] {
    var detached = RedactingCursor(bytes, self)
    detached.endingOrRest(ending)
    return detached.output
  }
}
