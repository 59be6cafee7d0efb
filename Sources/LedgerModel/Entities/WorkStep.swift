import LedgerBytes

/// A finished step of work, with its result still encoded.
package struct WorkStep: Sendable, Hashable {
  /// The maximum number of steps of one work.
  package static let maximumCount = 1_000
  /// The maximum size of all steps of one work, in bytes.
  package static let maximumByteCount = 64 << 20
  /// The number of further steps with which work may undo what it did, once a step failed or its cancellation was
  /// requested.
  package static let reservedCount = 1_000
  /// The size of these steps, in bytes.
  package static let reservedByteCount = 16 << 20

  /// The event that recorded the end.
  package let fact: LedgerEvent.Trace
  package let identity: StepIdentity
  package let outcome: WorkStepFinished.Outcome
  /// The encoded payload of the event.
  let payload: [UInt8]
  let attachmentByteCount: Int

  init(
    fact: LedgerEvent.Trace, _ finished: WorkStepFinished, payload: [UInt8],
    attachmentByteCount: Int
  ) {
    self.fact = fact
    identity = finished.step
    outcome = finished.outcome
    self.payload = payload
    self.attachmentByteCount = attachmentByteCount
  }

  /// The reference to a large result; `nil` if there is none.
  package var attachment: AttachmentReference? {
    guard attachmentByteCount > 0 else { return nil }
    return AttachmentReference(position: fact.position, byteCount: attachmentByteCount)
  }

  /// The size of the step in the ledger, in bytes.
  var byteCount: Int { payload.count + attachmentByteCount }

  /// Decodes the payload of the event.
  package func finished() throws(LedgerError) -> WorkStepFinished {
    try WorkStepFinished(decoding: payload)
  }
}

// MARK: - Encoding

extension WorkStep {
  func append(to bytes: inout [UInt8]) {
    bytes.appendFact(fact)
    bytes.appendLittleEndian(UInt32(clamping: attachmentByteCount))
    bytes.appendPayload(payload)
  }

  init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    let fact = try reader.fact()
    let attachmentByteCount: UInt32 = try reader.integer()
    let payload = try reader.payload()
    let finished: WorkStepFinished
    do throws(LedgerError) {
      finished = try WorkStepFinished(decoding: payload)
    } catch {
      throw PayloadDamage(what: error.message)
    }
    guard (finished.content == nil) == (attachmentByteCount > 0) else {
      throw PayloadDamage(what: "the result of a step is missing")
    }
    self.init(
      fact: fact, finished, payload: payload, attachmentByteCount: Int(attachmentByteCount))
  }
}
