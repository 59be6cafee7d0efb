/// The place of a stored value in a data file.
struct FilePlace: Sendable, Hashable {
  let offset: UInt64
  let byteCount: Int

  var end: UInt64 { offset + UInt64(byteCount) }
}

/// A value that a scan found under a key.
struct FoundValue: Sendable, Hashable {
  let place: FilePlace
  /// Whether the newest state of the file leads to it. Others may be older versions.
  let isLive: Bool
}

/// A frame that a scan found.
struct FoundFrame: Sendable {
  let header: FrameHeader
  let time: Timestamp
  let place: FilePlace
  let isLive: Bool
}

/// A piece of an attachment.
struct ChunkName: Sendable, Hashable {
  let position: Position
  let number: Int
}

/// A further piece of a snapshot record.
struct PartName: Sendable, Hashable {
  let id: EntityID
  let number: Int
}

/// Everything with a valid checksum that a scan found in a data file.
struct FoundValues: Sendable {
  var frames: [FoundFrame] = []
  var chunks: [ChunkName: [FoundValue]] = [:]
  var entities: [EntityID: [FoundValue]] = [:]
  var parts: [PartName: [FoundValue]] = [:]
  /// The tombstones, and whether the newest state of the file leads to them.
  var tombstones: [EntityID: Bool] = [:]
  var metadata: [(record: LedgerMetadata, isLive: Bool)] = []
  var summaries: [(summary: SnapshotSummary, isLive: Bool)] = []
  /// The reason why only a later build may save the ledger.
  var refusal: LedgerError?
}
