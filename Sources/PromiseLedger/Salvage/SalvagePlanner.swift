/// Finds the ledgers that can be made of what was saved.
struct SalvagePlanner {
  /// The number of older snapshots that are tried.
  private static let maximumSummaryCount = 8

  let file: SalvagedFile
  /// The events whose attachments are lost.
  let lostValues: Set<Position>
  let tick: () throws -> Void

  /// The plans, the best first: those that lose nothing of the state in the order of their ends, the later one
  /// first, and then those with an incomplete snapshot.
  ///
  /// - Throws: Any error of `tick`.
  func plans() throws -> [SalvagePlan] {
    var whole: [SalvagePlan] = []
    var partial: [SalvagePlan] = []
    if let plan = planWithoutSnapshot() { whole.append(plan) }
    for summary in file.summaries.prefix(Self.maximumSummaryCount)
    where summary.position > .start {
      let live = try SalvagedSnapshot(summary, of: file, onlyLive: true, tick)
      let any =
        live.isComplete
        ? live : try SalvagedSnapshot(summary, of: file, onlyLive: false, tick)
      if any.isComplete {
        whole.append(plan(with: any))
      } else if partial.isEmpty {
        // Records of any age may include some that were removed; those of the newest state do not.
        partial.append(plan(with: live.recordIDs.isEmpty ? any : live))
      }
    }
    whole.sort { $0.end > $1.end }
    return whole + partial
  }

  private func planWithoutSnapshot() -> SalvagePlan? {
    let frames = run(from: Position(rawValue: 1))
    guard let last = frames.last else { return nil }
    return SalvagePlan(snapshot: nil, base: .start, frames: frames, end: last.header.lastPosition)
  }

  private func plan(with snapshot: SalvagedSnapshot) -> SalvagePlan {
    let summary = snapshot.summary
    var base = summary.deletedLog
    var frames = run(from: base.position.advanced(by: 1))
    if (frames.last?.header.lastPosition ?? .start) < summary.position {
      // Some event before the snapshot is lost. The known digest there is the only one to continue from.
      base = summary.logDigest
      frames = run(from: base.position.advanced(by: 1))
    }
    return SalvagePlan(
      snapshot: snapshot, base: base, frames: frames,
      end: max(base.position, frames.last?.header.lastPosition ?? .start))
  }

  /// The frames with the events from a position on that follow each other, up to a loss, to the end of a
  /// commit.
  private func run(from position: Position) -> ArraySlice<FoundFrame> {
    let frames = file.frames
    let start = frames.partitioningIndex { $0.header.lastPosition >= position }
    guard start < frames.count, frames[start].header.firstPosition <= position else { return [] }
    var end = start
    while end < frames.count, !hasLostValue(frames[end]),
      end == start
        || frames[end].header.firstPosition == frames[end - 1].header.lastPosition.advanced(by: 1)
    {
      end += 1
    }
    return frames[start..<end].endingWithCommit
  }

  private func hasLostValue(_ frame: FoundFrame) -> Bool {
    guard !lostValues.isEmpty else { return false }
    return (0..<frame.header.eventCount).contains {
      lostValues.contains(frame.header.firstPosition.advanced(by: $0))
    }
  }
}
