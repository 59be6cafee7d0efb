import LedgerBytes
import LedgerSystem

/// What a scan found of a damaged ledger, put in order.
struct SalvagedFile {
  /// The frames in the order of positions, none of which overlaps another.
  let frames: [FoundFrame]
  private let values: FoundValues
  private let file: RandomAccessFile
  /// The chunks that a search found without their keys.
  private var foundChunks: [ChunkName: FilePlace] = [:]

  /// - Parameters:
  ///   - isWhole: Whether the trees of the file are intact as far as they can be walked.
  ///   - acknowledged: The last position that is known to have been acknowledged, if any.
  init(
    _ values: FoundValues, of file: RandomAccessFile, isWhole: Bool, acknowledged: Position?
  ) {
    self.values = values
    self.file = file
    let deletedThrough =
      values.summaries.filter(\.isLive).map(\.summary.deletedThrough).max() ?? .start
    frames = Self.choose(
      values.frames, deletedThrough: deletedThrough, isWhole: isWhole, acknowledged: acknowledged)
  }

  /// The ledger's record of itself.
  var metadata: LedgerMetadata? {
    (values.metadata.last { $0.isLive } ?? values.metadata.last)?.record
  }

  /// The summaries of snapshots, the most promising first.
  var summaries: [SnapshotSummary] {
    var summaries: [SnapshotSummary] = []
    for (summary, _) in values.summaries.sorted(by: { left, right in
      (left.isLive ? 1 : 0, left.summary.position) > (right.isLive ? 1 : 0, right.summary.position)
    }) where !summaries.contains(summary) {
      summaries.append(summary)
    }
    return summaries
  }

  // MARK: Frames

  /// Chooses one frame for each position: those of the newest state first. Others fill its gaps, and follow
  /// it if its end may be lost.
  private static func choose(
    _ frames: [FoundFrame], deletedThrough: Position, isWhole: Bool, acknowledged: Position?
  ) -> [FoundFrame] {
    let end = frames.filter(\.isLive).map(\.header.lastPosition).max()
    let isEndKnown = isWhole && end != nil && (acknowledged ?? .start) <= (end ?? .start)
    let inOrder = frames.sorted { left, right in
      // The older of two frames with the same positions was never committed, or is an older copy.
      (left.isLive ? 0 : 1, left.header.firstPosition, right.time)
        < (right.isLive ? 0 : 1, right.header.firstPosition, left.time)
    }
    var chosen: [FoundFrame] = []
    var live = 0
    for frame in inOrder {
      if frame.isLive {
        if chosen.last.map({ $0.header.lastPosition < frame.header.firstPosition }) ?? true {
          chosen.append(frame)
        }
        live = chosen.count
        continue
      }
      guard frame.header.lastPosition > deletedThrough else { continue }
      if isEndKnown, let end, frame.header.firstPosition > end { continue }
      let next = chosen[..<live].partitioningIndex {
        $0.header.firstPosition >= frame.header.firstPosition
      }
      guard next == live || chosen[next].header.firstPosition > frame.header.lastPosition,
        next == 0 || chosen[next - 1].header.lastPosition < frame.header.firstPosition,
        chosen.count == live
          || chosen[chosen.count - 1].header.lastPosition < frame.header.firstPosition
      else { continue }
      chosen.append(frame)
    }
    return chosen.sorted { $0.header.firstPosition < $1.header.firstPosition }
  }

  /// The events of a frame.
  ///
  /// - Throws: `ioFailure` or `corrupt` if the frame can no longer be read as it was found.
  func events(of frame: FoundFrame) throws(LedgerError) -> [StoredEvent] {
    let bytes = try read(frame.place)
    let view = try FrameView(checking: bytes.span, key: frame.header.firstPosition.rawValue)
    var events: [StoredEvent] = []
    try view.forEachEvent { event in
      events.append(StoredEvent(copying: event, of: frame.header.commit))
    }
    return events
  }

  private func read(_ place: FilePlace) throws(LedgerError) -> [UInt8] {
    try LedgerError.system("The damaged file cannot be read.") { () throws(SystemError) in
      try file.read(place.byteCount, at: place.offset)
    }
  }

  // MARK: Attachments

  /// Looks for the chunks of attachments whose keys are lost.
  ///
  /// - Throws: As ``ChunkSearch/run(_:_:)``.
  mutating func search(
    for attachments: [AttachmentReference], _ tick: () throws -> Void
  ) throws {
    var search = ChunkSearch()
    for attachment in attachments {
      for number in 0..<Chunk.count(ofAttachment: attachment.byteCount) {
        let name = ChunkName(position: attachment.position, number: number)
        if values.chunks[name] == nil { search.add(name, ofAttachment: attachment.byteCount) }
      }
    }
    guard !search.isEmpty else { return }
    foundChunks.merge(try search.run(file, tick)) { $1 }
  }

  /// An attachment; `nil` if a part of it is lost.
  func attachment(_ wanted: AttachmentReference) -> [UInt8]? {
    var content: [UInt8] = []
    for number in 0..<Chunk.count(ofAttachment: wanted.byteCount) {
      let name = ChunkName(position: wanted.position, number: number)
      var places = (values.chunks[name] ?? []).sorted { $0.isLive && !$1.isLive }.map(\.place)
      if let place = foundChunks[name] { places.append(place) }
      let isFound = places.contains { place in
        guard let chunk = try? read(place) else { return false }
        let append: ()? = try? Chunk.append(
          chunk.span, of: wanted.position, number, attachment: wanted.byteCount, to: &content)
        return append != nil
      }
      guard isFound else { return nil }
    }
    return content
  }

  // MARK: The snapshot

  /// The ids of all records that were found, in order.
  var recordIDs: [EntityID] { values.entities.keys.sorted() }

  /// The ids of all tombstones that were found, in order.
  ///
  /// - Parameter onlyLive: Whether only those of the newest state count.
  func tombstones(onlyLive: Bool) -> [EntityID] {
    values.tombstones.filter { !onlyLive || $0.value }.keys.sorted()
  }

  /// The newest record of an entity that a snapshot may hold; `nil` if none is intact.
  ///
  /// - Parameter onlyLive: Whether only those of the newest state count.
  func record(_ id: EntityID, through position: Position, onlyLive: Bool) -> LedgerEntity? {
    let candidates = (values.entities[id] ?? []).filter { !onlyLive || $0.isLive }
    var newest: LedgerEntity?
    for value in candidates {
      guard let first = try? read(value.place),
        let stored = try? SnapshotRecord.join(id, first: first, part: { part(id, $0, onlyLive) }),
        let entity = try? LedgerEntity(id, stored), entity.content == stored.content,
        entity.lastPosition <= position, entity.fitsItsKey,
        newest.map({ $0.lastPosition <= entity.lastPosition }) ?? true
      else { continue }
      newest = entity
    }
    return newest
  }

  private func part(_ id: EntityID, _ number: Int, _ onlyLive: Bool) -> [UInt8]? {
    let places = values.parts[PartName(id: id, number: number)] ?? []
    let chosen = places.first(where: \.isLive) ?? (onlyLive ? nil : places.last)
    return chosen.flatMap { try? read($0.place) }
  }
}

extension SalvagedFile {
  /// Whether the ledger had a snapshot after a position. A summary may be lost while records are there.
  func hasSnapshot(after position: Position) -> Bool {
    let summaries = summaries
    return summaries.contains { $0.position > position }
      || summaries.isEmpty && !recordIDs.isEmpty
  }
}
