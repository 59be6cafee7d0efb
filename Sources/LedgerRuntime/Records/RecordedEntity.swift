/// An entity that a record describes, together with large values stored beside its events.
protocol RecordedEntity: Equatable, Sendable {
  associatedtype ID: Sendable
  associatedtype Record: Sendable

  var id: ID { get }
  var created: LedgerEvent.Trace { get }
  /// The part of the record that is stored beside an event.
  var recordAttachment: AttachmentReference? { get }

  /// The entity with an id, if there is one.
  static func find(_ id: ID, in state: LedgerState) throws(LedgerError) -> Self?

  /// The reason why the entity is missing.
  static func refusal(ofMissing id: ID, in state: LedgerState) throws(LedgerError) -> LedgerError

  /// - Parameter attachment: Reads a value that is stored beside an event.
  func record(
    attachment: (Position, _ byteCount: Int) throws(LedgerError) -> [UInt8]
  ) throws(LedgerError) -> Record
}

extension PromiseEntity: RecordedEntity {
  var recordAttachment: AttachmentReference? { attachment }

  static func find(
    _ id: PromiseID, in state: LedgerState
  ) throws(LedgerError) -> PromiseEntity? { try state.promise(id) }

  static func refusal(
    ofMissing id: PromiseID, in state: LedgerState
  ) throws(LedgerError) -> LedgerError { try state.refusal(ofMissing: id) }

  func record(
    attachment: (Position, _ byteCount: Int) throws(LedgerError) -> [UInt8]
  ) throws(LedgerError) -> PromiseRecord {
    let creation = try creation()
    // The value of a joint is composed of those of its inputs only where it is needed.
    let isComposed = isJoint && resolution?.outcome == .fulfilled
    guard !isComposed, let resolution, let resolved = try resolved() else {
      return PromiseRecord(self, creation, outcome: nil)
    }
    let stored =
      if let content = resolved.content {
        content
      } else {
        try attachment(resolution.fact.position, resolution.attachmentByteCount)
      }
    let content = try resolved.value(in: stored)
    let outcome: PromiseOutcome<StoredValue> =
      switch resolved.outcome {
      case .fulfilled: .fulfilled(StoredValue(typeTag: creation.typeTag, bytes: content))
      case .rejected: .rejected(try StoredError(decoding: content))
      case .cancelled: .cancelled(reason: String(decoding: content, as: UTF8.self))
      case .timedOut: .timedOut
      }
    return PromiseRecord(self, creation, outcome: outcome)
  }
}

extension HandlerEntity: RecordedEntity {
  var recordAttachment: AttachmentReference? { bound.arguments.attachment }

  static func find(
    _ id: HandlerID, in state: LedgerState
  ) throws(LedgerError) -> HandlerEntity? { try state.handler(id) }

  static func refusal(
    ofMissing id: HandlerID, in state: LedgerState
  ) throws(LedgerError) -> LedgerError { try state.refusal(ofMissing: id) }

  func record(
    attachment: (Position, _ byteCount: Int) throws(LedgerError) -> [UInt8]
  ) throws(LedgerError) -> HandlerRecord {
    HandlerRecord(self, bound: try bound.arguments.load(attachment))
  }
}

extension ArgumentsReference {
  /// Reads the arguments, whether they are stored in the event or beside it.
  func load(
    _ attachment: (Position, _ byteCount: Int) throws(LedgerError) -> [UInt8]
  ) throws(LedgerError) -> StoredArguments {
    switch self {
    case .inline(let arguments): arguments
    case .attached(let position, let byteCount):
      try StoredArguments(decoding: try attachment(position, byteCount))
    }
  }
}
