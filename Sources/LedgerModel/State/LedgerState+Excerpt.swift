// MARK: - Looking without a store

extension LedgerState {
  /// Lets look-ups find what was read of the snapshot.
  ///
  /// - Parameters:
  ///   - excerpt: Of the snapshot that the state is built on; another is not used.
  ///   - notes: Gets what is lacking all the same.
  package mutating func know(_ excerpt: SnapshotExcerpt?, notes: LackNotes) {
    guard !snapshot.isEmpty else { return }
    var known = snapshot.known
    if let excerpt, excerpt.summary.position == base { known.add(excerpt) }
    snapshot = snapshot.knowing(known, notes: notes)
  }

  /// The same state, whose look-ups note what they lack elsewhere.
  package func noting(_ notes: LackNotes) -> LedgerState {
    var state = self
    state.snapshot = snapshot.knowing(snapshot.known, notes: notes)
    return state
  }

  /// Forgets what is of use for one look only.
  package mutating func forgetExcerpt() {
    guard !snapshot.isEmpty else { return }
    var known = snapshot.known
    known.keepWhatRecurs(deadlinesAfter: passedDeadline)
    snapshot = SnapshotReader(known)
  }

  /// Makes sure that several entities can be looked up: reads them all at once, or notes together what is
  /// lacking.
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

  /// Whether looking up an entity would lack something.
  ///
  /// - Parameter checked: Whether the lists must have been compared with its record.
  package func lacks(_ id: EntityID, checked: Bool = false) -> Bool {
    // Most are known by their time alone.
    !snapshot.knows(id, checked: checked) && !isOverlaid(id)
  }

  /// What looking up these things would lack.
  package func lacks(_ needs: SnapshotNeeds) -> SnapshotNeeds {
    guard !snapshot.isEmpty else { return SnapshotNeeds() }
    var lacking = needs
    lacking.ids = needs.ids.filter { lacks($0, checked: needs.checksLists) }
    lacking.lists = needs.lists.filter { snapshot.known[$0] == nil }
    lacking.pages = needs.pages.filter { !snapshot.knows($0.value, of: $0.key) }
    return lacking
  }
}
