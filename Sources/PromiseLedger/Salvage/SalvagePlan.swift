/// A ledger that can be made of what was saved.
struct SalvagePlan {
  /// The snapshot; `nil` if the ledger begins with the first event.
  var snapshot: SalvagedSnapshot?
  /// The digest at the last event that the ledger leaves out.
  var base: LogDigest
  /// The frames whose events after the base it holds, without a gap.
  var frames: ArraySlice<FoundFrame>
  /// The last event that it holds; the base if there is none.
  var end: Position

  /// Cuts the plan before an event that cannot be replayed, between two commits.
  ///
  /// - Returns: `nil` if the plan cannot be cut there.
  func cut(before position: Position) -> SalvagePlan? {
    guard position <= end, position > (snapshot?.summary.position ?? .start) else { return nil }
    let kept = frames.prefix { $0.header.lastPosition < position }.endingWithCommit
    var plan = self
    plan.frames = kept
    plan.end = max(base.position, kept.last?.header.lastPosition ?? .start)
    guard end > plan.end, plan.end > .start else { return nil }
    // Without the events up to it, the snapshot has nothing to follow.
    if let snapshot, plan.end < snapshot.summary.position {
      plan.base = snapshot.summary.logDigest
      plan.end = plan.base.position
      plan.frames = []
    }
    return plan
  }
}

extension ArraySlice<FoundFrame> {
  /// The frames up to the last one that ends a commit.
  var endingWithCommit: ArraySlice<FoundFrame> {
    let last = lastIndex { !$0.header.flags.contains(.commitContinues) }
    return last.map { self[...$0] } ?? self[startIndex..<startIndex]
  }
}

/// A snapshot, as far as its records are intact.
struct SalvagedSnapshot {
  let summary: SnapshotSummary
  /// Whether only records of the newest state of the file belong to it.
  let onlyLive: Bool
  /// The ids of its records, in order.
  let recordIDs: [EntityID]
  let tombstones: [EntityID]
  /// Whether its digest proves that nothing is missing.
  let isComplete: Bool

  /// Reads the records that a snapshot may consist of.
  init(
    _ summary: SnapshotSummary, of file: SalvagedFile, onlyLive: Bool, _ tick: () throws -> Void
  ) throws {
    self.summary = summary
    self.onlyLive = onlyLive
    var ids: [EntityID] = []
    var digest = StateDigest.empty
    for (index, id) in file.recordIDs.enumerated() {
      if index % 1_000 == 0 { try tick() }
      guard let entity = file.record(id, through: summary.position, onlyLive: onlyLive),
        entity.attachments.allSatisfy({ file.attachment($0) != nil })
      else { continue }
      ids.append(id)
      digest.add(entity.type, id, entity.content)
    }
    let present = Set(ids)
    tombstones = file.tombstones(onlyLive: onlyLive).filter { !present.contains($0) }
    for id in tombstones { digest.addTombstone(id) }
    recordIDs = ids
    isComplete = digest == summary.stateDigest
  }

  /// The number of records and tombstones that are missing, at least one if its digest is not that of what was
  /// found.
  var lostCount: Int {
    isComplete ? 0 : max(1, originalCount - recordIDs.count - tombstones.count)
  }

  /// The number of records and tombstones that it should have.
  private var originalCount: Int {
    let counts = summary.counts
    return Int(clamping: counts.records &+ counts.tombstones)
  }
}
