// MARK: - Looking without a store

extension LedgerState {
  /// Lets look-ups use the parts of the snapshot that were already read.
  ///
  /// - Parameters:
  ///   - excerpt: An excerpt of the snapshot under this state; any other excerpt is ignored.
  ///   - notes: Receives the items that are still missing.
  package mutating func know(_ excerpt: SnapshotExcerpt?, notes: LackNotes) {
    guard !snapshot.isEmpty else { return }
    var known = snapshot.known
    if let excerpt, excerpt.summary.position == base { known.add(excerpt) }
    snapshot = snapshot.knowing(known, notes: notes)
  }

  /// Returns the same state, with look-ups that record missing items in other notes.
  package func noting(_ notes: LackNotes) -> LedgerState {
    var state = self
    state.snapshot = snapshot.knowing(snapshot.known, notes: notes)
    return state
  }

  /// Forgets the data that is needed for a single look-up only.
  package mutating func forgetExcerpt() {
    guard !snapshot.isEmpty else { return }
    var known = snapshot.known
    known.keepWhatRecurs(deadlinesAfter: passedDeadline)
    snapshot = SnapshotReader(known)
  }

  /// Prepares look-ups of several entities: reads them all at once, or notes all missing items together.
  package mutating func require(_ ids: Set<EntityID>) throws(LedgerError) {
    let lacking = ids.filter { lacks($0) }
    guard !lacking.isEmpty else { return }
    guard snapshot.source != nil else {
      _ = try snapshot.records(lacking)
      return
    }
    var known = snapshot.known
    known.add(try snapshot.excerpt(SnapshotNeeds(ids: lacking)))
    snapshot = snapshot.knowing(known)
  }

  /// Whether looking up an entity would lack an item.
  ///
  /// - Parameter checked: Whether the lists must have been compared with its record.
  package func lacks(_ id: EntityID, checked: Bool = false) -> Bool {
    // Most ids are resolved by their time alone.
    !snapshot.knows(id, checked: checked) && !isOverlaid(id)
  }

  /// The items that looking up these things would lack.
  package func lacks(_ needs: SnapshotNeeds) -> SnapshotNeeds {
    guard !snapshot.isEmpty else { return SnapshotNeeds() }
    var lacking = needs
    lacking.ids = needs.ids.filter { lacks($0, checked: needs.checksLists) }
    lacking.lists = needs.lists.filter { snapshot.known[$0] == nil }
    lacking.pages = needs.pages.filter { !snapshot.knows($0.value, of: $0.key) }
    return lacking
  }
}
