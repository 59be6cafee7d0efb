import LedgerBytes

/// The payload of the event that records the folding of old events into the snapshot.
public struct SnapshotTaken: EventPayload, Hashable {
  public static let kind = EventKind.snapshotTaken

  /// The position whose state the snapshot holds.
  public let position: Position
  /// The number of entities in the snapshot.
  public let recordCount: UInt64
  /// The fingerprint of the state at that position.
  public let stateDigest: StateDigest
  /// The fingerprint of the events up to that position.
  public let logDigest: LogDigest

  package init(
    position: Position, recordCount: UInt64, stateDigest: StateDigest, logDigest: LogDigest
  ) {
    self.position = position
    self.recordCount = recordCount
    self.stateDigest = stateDigest
    self.logDigest = logDigest
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let position = try reader.position()
      let recordCount: UInt64 = try reader.integer()
      let stateDigest = StateDigest(bytes: try reader.bytes(32))
      return Self(
        position: position, recordCount: recordCount, stateDigest: stateDigest,
        logDigest: LogDigest(position: position, bytes: try reader.bytes(32)))
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(position.rawValue)
    bytes.appendLittleEndian(recordCount)
    bytes.append(contentsOf: stateDigest.bytes)
    bytes.append(contentsOf: logDigest.bytes)
    return bytes
  }
}

/// The payload of the event that records the removal of records of closed entities.
///
/// From then on, every closed entity is absent whose last event is after ``after`` and at or before
/// ``horizon``, except for those in ``kept``.
public struct RetentionApplied: EventPayload, Hashable {
  public static let kind = EventKind.retentionApplied

  /// The maximum number of ids that one event keeps: they must fit into a frame.
  package static let maximumKeptCount = 200

  /// The position after which the removal applies.
  public let after: Position
  /// The position up to which the removal applies.
  public let horizon: Position
  /// The newest time at which a removed entity ended. Times that were still in the future then, by the
  /// store's clock or the configured clock, do not count.
  public let time: Timestamp
  /// The number of removed records.
  public let removedCount: UInt32
  /// The entities that stay although they lie in the range, because an open entity needs them. In ascending
  /// order.
  public let kept: [EntityID]
}

extension RetentionApplied {
  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let after = try reader.position()
      let horizon = try reader.position()
      guard after <= horizon else { throw PayloadDamage(what: "the range ends before it begins") }
      let time = try reader.timestamp()
      let removedCount: UInt32 = try reader.integer()
      let count: UInt32 = try reader.integer()
      var kept: [EntityID] = []
      for _ in 0..<count {
        let id = try reader.entityID()
        if let last = kept.last, last >= id {
          throw PayloadDamage(what: "the ids kept are not in ascending order")
        }
        kept.append(id)
      }
      return Self(
        after: after, horizon: horizon, time: time, removedCount: removedCount, kept: kept)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(after.rawValue)
    bytes.appendLittleEndian(horizon.rawValue)
    bytes.appendLittleEndian(time.nanosecondsSinceEpoch)
    bytes.appendLittleEndian(removedCount)
    bytes.appendLittleEndian(UInt32(clamping: kept.count))
    for id in kept { id.append(to: &bytes) }
    return bytes
  }
}

/// The payload of the event that records the deletion of folded events.
public struct EventsDeleted: EventPayload, Hashable {
  public static let kind = EventKind.eventsDeleted

  /// The position up to which events were deleted.
  public let through: Position
  /// The number of deleted events.
  public let eventCount: UInt64
  /// The size of all events before the deletion, in bytes.
  public let byteCountBefore: UInt64
  /// The size of all events after the deletion, in bytes.
  public let byteCountAfter: UInt64
  /// Whether the events were exported before.
  public let isArchived: Bool

  package init(
    through: Position, eventCount: UInt64, byteCountBefore: UInt64, byteCountAfter: UInt64,
    isArchived: Bool
  ) {
    self.through = through
    self.eventCount = eventCount
    self.byteCountBefore = byteCountBefore
    self.byteCountAfter = byteCountAfter
    self.isArchived = isArchived
  }

  public init(decoding payload: [UInt8]) throws(LedgerError) {
    self = try Self.parse(payload) { reader throws(PayloadDamage) in
      let through = try reader.position()
      let eventCount: UInt64 = try reader.integer()
      let before: UInt64 = try reader.integer()
      let after: UInt64 = try reader.integer()
      let flags: UInt8 = try reader.integer()
      guard flags <= 1 else { throw PayloadDamage(what: "the flags \(flags) are unknown") }
      return Self(
        through: through, eventCount: eventCount, byteCountBefore: before, byteCountAfter: after,
        isArchived: flags == 1)
    }
  }

  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittleEndian(through.rawValue)
    bytes.appendLittleEndian(eventCount)
    bytes.appendLittleEndian(byteCountBefore)
    bytes.appendLittleEndian(byteCountAfter)
    bytes.append(isArchived ? 1 : 0)
    return bytes
  }
}
