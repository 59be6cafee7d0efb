import LedgerBytes

/// The record `snapshot` of the table `meta`: where the snapshot stands; see the article
/// *File format*.
package struct SnapshotSummary: Sendable, Hashable {
  /// Without what it says of records and lists of later versions.
  package static let byteCount = 288
  package static let key = Array("snapshot".utf8)
  private static let layout: UInt32 = 0
  /// At the end, all zeros.
  private static let reservedByteCount = 8

  /// The position that the snapshot is the state at.
  package var position = Position.start
  /// The newest time of any event up to there.
  package var time = Timestamp(nanosecondsSinceEpoch: .min)
  package var ledgerID: LedgerID?
  package var stateDigest = StateDigest.empty
  package var logDigest = LogDigest.start
  package var horizon = Horizon()
  /// The digest of the events that were deleted, and where the last of them stood.
  package var deletedLog = LogDigest.start
  /// Records up to here were read back.
  package var readBackThrough = Position.start
  package var counts = Counts()
  /// No record has a later id among those in the order of time; all zeros if none has such an id.
  package var newestTimedID = EntityID(high: 0, low: 0)

  /// Up to where records of closed entities were removed.
  package struct Horizon: Sendable, Hashable {
    package var position = Position.start
    /// The newest time of a record that was removed.
    package var time = Timestamp(nanosecondsSinceEpoch: .min)

    package init() {}

    package init(position: Position, time: Timestamp) {
      self.position = position
      self.time = time
    }

    /// The horizon further on.
    package mutating func extend(to position: Position, _ time: Timestamp) {
      self.position = max(self.position, position)
      self.time = max(self.time, time)
    }
  }

  /// Whether both can be of one log: what both know of the events up to a position is the same.
  package func isOfSameLog(as other: SnapshotSummary) -> Bool {
    logDigest.agrees(with: other.logDigest) && logDigest.agrees(with: other.deletedLog)
      && deletedLog.agrees(with: other.logDigest) && deletedLog.agrees(with: other.deletedLog)
  }

  /// Events up to here were deleted.
  package var deletedThrough: Position { deletedLog.position }

  /// Whether there may be a record or a tombstone of an id: a new one is known to have none without a
  /// look at the tables.
  @inline(__always)
  package func mayHold(_ id: EntityID) -> Bool { id <= newestTimedID || id.time == nil }

  /// The summary of a ledger that has no snapshot.
  package init() {}

  /// - Throws: `corrupt` if the record is damaged, `incompatibleFormat` if it is newer.
  package init(decoding bytes: [UInt8]) throws(LedgerError) {
    guard bytes.count >= 8,
      bytes.span.loadLittleEndian(at: 0)
        == CRC32C.checksum(bytes.span.extracting(4..<bytes.count))
    else { throw Self.damaged("its checksum does not fit") }
    guard bytes.span.loadLittleEndian(at: 4) == Self.layout else {
      throw LedgerError(
        .incompatibleFormat,
        "The ledger's snapshot has a layout that this build does not know; update the library.")
    }
    guard bytes.count >= Self.byteCount else { throw Self.damaged("its length does not fit") }
    do throws(PayloadDamage) {
      var reader = PayloadReader(bytes)
      try reader.skip(8)
      try self.init(reading: &reader)
    } catch {
      throw Self.damaged(error.what)
    }
    guard readBackThrough <= position, deletedThrough <= position, horizon.position <= position
    else { throw Self.damaged("its positions do not fit") }
  }

  private init(reading reader: inout PayloadReader) throws(PayloadDamage) {
    position = try reader.position()
    time = try reader.timestamp()
    let id = try reader.entityID()
    ledgerID = id == EntityID(high: 0, low: 0) ? nil : LedgerID(entityID: id)
    stateDigest = StateDigest(bytes: try reader.bytes(32))
    logDigest = LogDigest(position: position, bytes: try reader.bytes(32))
    let horizonPosition = try reader.position()
    horizon = Horizon(position: horizonPosition, time: try reader.timestamp())
    let deletedThrough = try reader.position()
    readBackThrough = try reader.position()
    counts.promises = try reader.integer()
    counts.sessions = try reader.integer()
    counts.handlers = try reader.integer()
    counts.tombstones = try reader.integer()
    counts.bytes = try reader.integer()
    for kind in OpenList.Kind.allCases { counts.lists[kind] = try reader.integer() }
    deletedLog = LogDigest(position: deletedThrough, bytes: try reader.bytes(32))
    newestTimedID = try reader.entityID()
    try reader.skip(Self.reservedByteCount)
    try counts.readOthers(&reader)
  }

  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.byteCount)
    bytes.appendLittleEndian(UInt32(0))
    bytes.appendLittleEndian(Self.layout)
    bytes.appendLittleEndian(position.rawValue)
    bytes.appendLittleEndian(time.nanosecondsSinceEpoch)
    (ledgerID?.entityID ?? EntityID(high: 0, low: 0)).append(to: &bytes)
    bytes.append(contentsOf: stateDigest.bytes)
    bytes.append(contentsOf: logDigest.bytes)
    bytes.appendLittleEndian(horizon.position.rawValue)
    bytes.appendLittleEndian(horizon.time.nanosecondsSinceEpoch)
    bytes.appendLittleEndian(deletedThrough.rawValue)
    bytes.appendLittleEndian(readBackThrough.rawValue)
    bytes.appendLittleEndian(counts.promises)
    bytes.appendLittleEndian(counts.sessions)
    bytes.appendLittleEndian(counts.handlers)
    bytes.appendLittleEndian(counts.tombstones)
    bytes.appendLittleEndian(counts.bytes)
    for kind in OpenList.Kind.allCases { bytes.appendLittleEndian(counts.lists[kind]) }
    bytes += deletedLog.bytes
    newestTimedID.append(to: &bytes)
    while bytes.count < Self.byteCount { bytes.append(0) }
    counts.appendOthers(to: &bytes)
    bytes.storeLittleEndian(CRC32C.checksum(bytes.span.extracting(4..<bytes.count)), at: 0)
    return bytes
  }

  private static func damaged(_ what: String) -> LedgerError {
    LedgerError(
      .corrupt,
      "The record of the ledger's snapshot is damaged: \(what). Restore the ledger from a copy.")
  }
}

extension LogDigest {
  /// Whether both can be of one log.
  fileprivate func agrees(with other: LogDigest) -> Bool {
    position != other.position || self == other
  }
}

extension SnapshotTables {
  /// Where the snapshot stands.
  package func summary() throws(LedgerError) -> SnapshotSummary {
    guard let bytes = try value(forKey: SnapshotSummary.key, in: .meta) else {
      return SnapshotSummary()
    }
    return try SnapshotSummary(decoding: bytes)
  }
}

// MARK: - A part alone

extension SnapshotSummary {
  /// Of an encoded summary, as ``init(decoding:)`` throws.
  fileprivate static func position(
    _ part: KeyPath<SnapshotSummary, Position>, in bytes: Span<UInt8>, at offset: Int
  ) throws(LedgerError) -> Position {
    guard bytes.count >= byteCount,
      bytes.loadLittleEndian(at: 0) == CRC32C.checksum(bytes.extracting(4..<bytes.count)),
      bytes.loadLittleEndian(at: 4) == layout
    else { return try SnapshotSummary(decoding: Array(copying: bytes))[keyPath: part] }
    return Position(rawValue: bytes.loadLittleEndian(at: offset))
  }

  /// Up to where events were deleted, of an encoded summary.
  package static func deletedThrough(in bytes: Span<UInt8>) throws(LedgerError) -> Position {
    try position(\.deletedThrough, in: bytes, at: 120)
  }
}

extension SnapshotTables {
  /// The position of the snapshot alone.
  package func snapshotPosition() throws(LedgerError) -> Position {
    guard let bytes = try value(forKey: SnapshotSummary.key, in: .meta) else { return .start }
    return try SnapshotSummary.position(\.position, in: bytes.span, at: 8)
  }
}

extension SnapshotSource {
  /// Where the snapshot stands now.
  package func snapshotSummary() throws(LedgerError) -> SnapshotSummary {
    try readSnapshot { (tables) throws(LedgerError) in try tables.summary() }
  }
}
