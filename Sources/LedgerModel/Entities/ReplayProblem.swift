/// The reason why an event cannot be applied to its subject.
///
/// A problem stops writes to the subject and is reported; it never stops the ledger.
package struct ReplayProblem: Error, Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// This build does not know the kind, or its version.
    case unsupported(EventKind, version: UInt16)
    /// This build does not know the record of the subject in the snapshot.
    case opaqueRecord(RecordType)
    /// The payload cannot be read.
    case damagedPayload(String)
    /// The event does not fit the subject's history.
    case illegalTransition(String)
  }

  package let position: Position
  package let reason: Reason

  package init(_ reason: Reason, at position: Position) {
    self.reason = reason
    self.position = position
  }

  /// Whether the event, or the record that it changes, is of a later version.
  package var isOfLaterVersion: Bool {
    switch reason {
    case .unsupported, .opaqueRecord: true
    case .damagedPayload, .illegalTransition: false
    }
  }

  /// The error for a command that would write to the subject.
  package func refusal(of subject: EntityID) -> LedgerError {
    switch reason {
    case .unsupported(let kind, let version):
      LedgerError(
        .unsupportedEvent,
        "\(subject) has an event at position \(position) that this build does not know (\(kind), version \(version)), so nothing is written to it. Update the library."
      )
    case .opaqueRecord(let type): .opaque(subject, type)
    case .damagedPayload(let what), .illegalTransition(let what):
      LedgerError(
        .corrupt,
        "\(subject) cannot be changed: the event at position \(position) cannot be applied (\(what)). Verify the ledger, and restore it from a copy if needed."
      )
    }
  }
}

extension EventView {
  /// The problem of an event whose kind this build does not know.
  var isOfUnknownKind: ReplayProblem {
    ReplayProblem(.unsupported(kind, version: version), at: position)
  }

  /// Throws if this build does not know the version.
  @inline(__always)
  package func requireVersion(_ known: UInt16) throws(ReplayProblem) {
    guard version <= known, version > 0 else {
      throw ReplayProblem(.unsupported(kind, version: version), at: position)
    }
  }

  /// Decodes the payload of an event whose kind was checked before.
  package func decode<Payload: EventPayload>(
    as type: Payload.Type = Payload.self
  ) throws(ReplayProblem) -> Payload {
    try requireVersion(Payload.newestVersion)
    do throws(LedgerError) {
      return try Payload(decoding: payloadBytes)
    } catch {
      throw ReplayProblem(.damagedPayload(error.message), at: position)
    }
  }
}

extension LedgerError {
  /// The error for an entity whose record is of a later version.
  package static func opaque(_ id: EntityID, _ type: RecordType) -> LedgerError {
    LedgerError(
      .unsupportedEvent,
      "\(id) has a snapshot record that this build does not know (kind \(type.kind), layout \(type.layout)), so it is neither read nor written. Update the library."
    )
  }
}
