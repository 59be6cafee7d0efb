/// The entities that retention removed since the snapshot.
///
/// The underlying snapshot still has the records; look-ups filter them out.
package struct RemovalTable: Sendable {
  /// The range of one retentionApplied event.
  package struct Range: Sendable, Hashable {
    let position: Position
    let after: Position
    let horizon: Position
    let kept: Set<EntityID>

    init(_ event: RetentionApplied, at position: Position) {
      self.position = position
      after = event.after
      horizon = event.horizon
      kept = Set(event.kept)
    }

    func removes(_ id: EntityID, closedAt closing: Position) -> Bool {
      closing > after && closing <= horizon && !kept.contains(id)
    }
  }

  /// An entity that was in the overlay when it was removed.
  struct Removed: Sendable, Hashable {
    /// The position of the event that removed the entity.
    let position: Position
    let isKeyed: Bool
  }

  /// The end of an entity in the overlay.
  struct Closing: Sendable, Hashable {
    let position: Position
    let kind: EntityKind
    let id: EntityID
  }

  /// Groups of ranges in the order of positions; the ranges of a group do not overlap, like those of one
  /// plan.
  private(set) var runs: [[Range]] = []
  private(set) var removed: [EntityID: Removed] = [:]
  /// The ends of the entities in the overlay, in the order of positions; `nil` until the first removal, so
  /// that a ledger without removals does not pay for them.
  private(set) var closings: [Closing]?

  package init() {}

  package var isEmpty: Bool { runs.isEmpty }

  /// Whether a record in the snapshot counts as removed.
  ///
  /// - Complexity: O(log n) in the number of ranges of each plan.
  func hides(_ id: EntityID, closedAt position: Position) -> Bool {
    runs.contains { ranges in
      let next = ranges.partitioningIndex { $0.after >= position }
      return next > 0 && ranges[next - 1].removes(id, closedAt: position)
    }
  }

  // MARK: Changing

  /// Begins to keep the ends of entities.
  mutating func keepClosings(_ closings: [Closing]) {
    self.closings = closings.sorted { $0.position < $1.position }
  }

  /// Records the end of an entity in the overlay.
  mutating func close(_ kind: EntityKind, _ id: EntityID, at position: Position) {
    guard let all = closings else { return }
    // A merged commit delivers its ends grouped by kind, so they may be out of order.
    let index = all.partitioningIndex { $0.position > position }
    closings?.insert(Closing(position: position, kind: kind, id: id), at: index)
  }

  /// Adds a range, and returns the ends of the entities that it removes from the overlay.
  mutating func apply(_ range: Range) -> [Closing] {
    if let last = runs.last?.last, last.horizon <= range.after {
      runs[runs.count - 1].append(range)
    } else {
      runs.append([range])
    }
    guard let all = closings else { return [] }
    let start = all.partitioningIndex { $0.position > range.after }
    let end = all.partitioningIndex { $0.position > range.horizon }
    guard start < end else { return [] }
    let gone = all[start..<end].filter { !range.kept.contains($0.id) }
    closings?.replaceSubrange(
      start..<end, with: all[start..<end].filter { range.kept.contains($0.id) })
    return gone
  }

  package mutating func note(_ id: EntityID, isKeyed: Bool, at position: Position) {
    removed[id] = Removed(position: position, isKeyed: isKeyed)
  }

  /// Forgets the removal of an entity with a random id, because it was created again.
  mutating func forget(_ id: EntityID) {
    if !removed.isEmpty { removed[id] = nil }
  }

  /// Forgets the removals that the snapshot at a position already contains.
  mutating func dropRemovals(through position: Position) {
    guard !runs.isEmpty else { return }
    runs = runs.map { $0.filter { $0.position > position } }.filter { !$0.isEmpty }
    removed = removed.filter { $0.value.position > position }
  }

  /// Forgets the ends of entities that are no longer in the overlay.
  mutating func dropClosings(through position: Position) {
    closings?.removeAll { $0.position <= position }
  }
}
