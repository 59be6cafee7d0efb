/// The children of pending work that have ended, as far as a snapshot has them.
///
/// They are kept because of their parent, and joints among them need their inputs. The plans of one compaction share
/// them, so that each plan looks only at entities that ended since the plan before it.
package struct EndedChildren: Sendable {
  /// Work whose later attempts look for its children.
  struct Parents {
    private(set) var ids: Set<EntityID> = []
    /// The creation of the oldest of them, before which no child ended.
    private(set) var start = Position(rawValue: .max)

    mutating func note(_ promise: PromiseEntity) {
      guard promise.isWork, promise.status == .pending else { return }
      ids.insert(promise.id.entityID)
      start = min(start, promise.created.position)
    }
  }

  /// The children that were found, each with its parent.
  private var parents: [EntityID: EntityID] = [:]
  /// The position of the end of the last entity that was looked at.
  private var end = Position.start

  package init() {}

  /// Looks for children among the entities that ended since the last look.
  ///
  /// - Parameters:
  ///   - pending: All pending work. Work that is new since the last look has no older children.
  ///   - tick: Called now and then.
  mutating func look(
    in snapshot: SnapshotReader, of pending: Parents, _ tick: () -> Void
  ) throws(LedgerError) {
    guard !pending.ids.isEmpty else { return }
    var pulse = Pulse()
    var last = max(end, pending.start)
    try snapshot.forEachEntry(of: .closed, after: last) { (entry) throws(LedgerError) in
      pulse.beat(tick)
      if let parent = entry.parent?.entityID, pending.ids.contains(parent) {
        parents[entry.id] = parent
      }
      last = entry.position
      return true
    }
    end = max(end, last)
  }

  /// Those that were found, of work that is still pending.
  func ids(of pending: Parents) -> Set<EntityID> {
    Set(parents.filter { pending.ids.contains($0.value) }.keys)
  }
}
