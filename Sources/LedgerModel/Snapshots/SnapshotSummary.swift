import LedgerBytes

/// The record `snapshot` of the table `meta`: the position and contents of the snapshot; see the article
/// *File format*.
public struct SnapshotSummary: Sendable, Hashable {
  /// The size without the counts of records and lists of later versions, in bytes.
  package static let byteCount = 288
  /// The key of the record.
  public static let key = Array("snapshot".utf8)
  private static let layout: UInt32 = 0
  /// The number of reserved zero bytes at the end.
  private static let reservedByteCount = 8

  /// The position whose state the snapshot holds.
  public package(set) var position = Position.start
  /// The newest time of any event up to that position.
  package var time = Timestamp(nanosecondsSinceEpoch: .min)
  package var ledgerID: LedgerID?
  package var stateDigest = StateDigest.empty
  package var logDigest = LogDigest.start
  package var horizon = Horizon()
  /// The digest of the deleted events, with the position of the last one.
  package var deletedLog = LogDigest.start
  /// The position up to which records were read back and verified.
  package var readBackThrough = Position.start
  package var counts = Counts()
  /// The highest id among the records whose ids are ordered by time; all zeros if there is none.
  package var newestTimedID = EntityID(high: 0, low: 0)

  /// The position up to which records of closed entities were removed.
  package struct Horizon: Sendable, Hashable {
    package var position = Position.start
    /// The newest time of a removed record.
    package var time = Timestamp(nanosecondsSinceEpoch: .min)

    package init() {}

    package init(position: Position, time: Timestamp) {
      self.position = position
      self.time = time
    }

    /// Moves the horizon forward.
    package mutating func extend(to position: Position, _ time: Timestamp) {
      self.position = max(self.position, position)
      self.time = max(self.time, time)
    }
  }

  /// Whether both can belong to the same log: their digests of the events up to a common position agree.
  package func isOfSameLog(as other: SnapshotSummary) -> Bool {
    logDigest.agrees(with: other.logDigest) && logDigest.agrees(with: other.deletedLog)
      && deletedLog.agrees(with: other.logDigest) && deletedLog.agrees(with: other.deletedLog)
  }

  /// The position up to which events were deleted.
  public var deletedThrough: Position { deletedLog.position }

  /// Whether there may be a record or a tombstone for an id: a new id is known to have none without reading
  /// the tables.
  @inline(__always)
  package func mayHold(_ id: EntityID) -> Bool { id <= newestTimedID || id.time == nil }

  /// The summary of a ledger that has no snapshot.
  public init() {}

  /// - Throws: `corrupt` if the record is damaged; `incompatibleFormat` if it is newer.
  public init(decoding bytes: [UInt8]) throws(LedgerError) {
    guard bytes.count >= 8,
      bytes.span.loadLittleEndian(at: 0)
        == CRC32C.checksum(bytes.span.extracting(4..<bytes.count))
    else { throw Self.damaged("its checksum does not match") }
    guard bytes.span.loadLittleEndian(at: 4) == Self.layout else {
      throw LedgerError(
        .incompatibleFormat,
        "The ledger's snapshot has a layout that this build does not know. Update the library.")
    }
    guard bytes.count >= Self.byteCount else { throw Self.damaged("its length is wrong") }
    do throws(PayloadDamage) {
      var reader = PayloadReader(bytes)
      try reader.skip(8)
      try self.init(reading: &reader)
    } catch {
      throw Self.damaged(error.what)
    }
    guard readBackThrough <= position, deletedThrough <= position, horizon.position <= position
    else { throw Self.damaged("its positions contradict each other") }
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
    for kind in OpenList.Kind.original { counts.lists[kind] = try reader.integer() }
    deletedLog = LogDigest(position: deletedThrough, bytes: try reader.bytes(32))
    newestTimedID = try reader.entityID()
    try reader.skip(Self.reservedByteCount)
    try counts.readOthers(&reader)
  }

  /// The bytes of the record.
  public var encoded: [UInt8] {
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
    for kind in OpenList.Kind.original { bytes.appendLittleEndian(counts.lists[kind]) }
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
  /// Whether both can belong to the same log.
  fileprivate func agrees(with other: LogDigest) -> Bool {
    position != other.position || self == other
  }
}

extension SnapshotTables {
  /// Reads the summary of the snapshot.
  public func summary() throws(LedgerError) -> SnapshotSummary {
    guard let bytes = try value(forKey: SnapshotSummary.key, in: .meta) else {
      return SnapshotSummary()
    }
    return try SnapshotSummary(decoding: bytes)
  }
}

// MARK: - Reading one part

extension SnapshotSummary {
  /// Returns the position of the snapshot and that up to which events were deleted, from an encoded summary.
  ///
  /// - Throws: The errors of ``init(decoding:)``.
  package static func positions(
    in bytes: Span<UInt8>
  ) throws(LedgerError) -> (snapshot: Position, deletedThrough: Position) {
    guard bytes.count >= byteCount,
      bytes.loadLittleEndian(at: 0) == CRC32C.checksum(bytes.extracting(4..<bytes.count)),
      bytes.loadLittleEndian(at: 4) == layout
    else {
      let summary = try SnapshotSummary(decoding: Array(copying: bytes))
      return (summary.position, summary.deletedThrough)
    }
    return (
      Position(rawValue: bytes.loadLittleEndian(at: 8)),
      Position(rawValue: bytes.loadLittleEndian(at: 120))
    )
  }
}

extension SnapshotTables {
  /// Reads only the position of the snapshot.
  package func snapshotPosition() throws(LedgerError) -> Position {
    guard let bytes = try value(forKey: SnapshotSummary.key, in: .meta) else { return .start }
    return try SnapshotSummary.positions(in: bytes.span).snapshot
  }
}

extension SnapshotSource {
  /// Reads the current summary of the snapshot.
  package func snapshotSummary() throws(LedgerError) -> SnapshotSummary {
    try readSnapshot { (tables) throws(LedgerError) in try tables.summary() }
  }
}
