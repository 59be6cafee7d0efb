/// The parts of one snapshot that were read at once; they can be examined without a store.
package struct SnapshotExcerpt: Sendable {
  /// The snapshot's content for an id.
  enum Preimage: Sendable {
    /// - Parameter isChecked: Whether the lists of the snapshot were found to agree with the record.
    case record(SnapshotRecord.Stored, isChecked: Bool)
    /// A record that the lists of the snapshot contradict.
    case contradicted(SnapshotRecord.Stored, LedgerError)
    case tombstone
    case nothing
    /// A damaged record or tombstone: only a look-up of it fails.
    case damaged(LedgerError)
  }

  /// The first entries of a list after a key.
  struct Page: Sendable {
    /// The end of a page: more entries, the end of the list, or damage.
    enum End: Sendable {
      case more
      case nothing
      /// A damaged entry: only a look-up that reaches it fails.
      case damage(LedgerError)
    }

    let key: [UInt8]?
    let entries: [OpenEntry]
    let end: End
  }

  package let summary: SnapshotSummary
  /// The lists that were counted.
  package let countedLists: CountedLists
  private var preimages: [EntityID: Preimage] = [:]
  private var pages: [OpenList: Page] = [:]

  init(_ summary: SnapshotSummary = SnapshotSummary(), countedLists: CountedLists) {
    self.summary = summary
    self.countedLists = countedLists
  }

  /// The content for an id; `nil` if the id was not requested.
  subscript(id: EntityID) -> Preimage? {
    get { preimages[id] }
    set { preimages[id] = newValue }
  }

  /// The page of a list; `nil` if the list was not requested.
  subscript(list: OpenList) -> Page? {
    get { pages[list] }
    set { pages[list] = newValue }
  }

  /// Reserves space for a number of ids.
  mutating func reserveCapacity(_ idCount: Int) { preimages.reserveCapacity(idCount) }

  /// Adds parts that were read later from the same snapshot.
  mutating func add(_ other: SnapshotExcerpt) {
    preimages.merge(other.preimages) { _, new in new }
    pages.merge(other.pages) { known, next in known.followed(by: next) }
  }

  /// An excerpt that contains only the position of the snapshot.
  package var outline: SnapshotExcerpt { SnapshotExcerpt(summary, countedLists: countedLists) }

  /// Returns this excerpt merged into an earlier one, if both are of the same snapshot.
  package func following(_ earlier: SnapshotExcerpt?) -> SnapshotExcerpt {
    guard var all = earlier, all.summary.position == summary.position else { return self }
    // The state keeps the deadlines that it has not passed.
    all.pages[.deadlines] = nil
    all.add(self)
    return all
  }

  /// Forgets the parts that are needed only once: every decision looks up its own session and the next
  /// deadlines.
  ///
  /// - Parameter passed: The entry up to which deadlines are no longer examined.
  mutating func keepWhatRecurs(deadlinesAfter passed: [UInt8]?) {
    preimages = preimages.filter { isOfCheckedSession($0.value) }
    let deadlines = pages[.deadlines]
    pages = [:]
    pages[.deadlines] = deadlines?.dropping(through: passed)
  }

  private func isOfCheckedSession(_ preimage: Preimage) -> Bool {
    guard case .record(let record, isChecked: true) = preimage else { return false }
    return record.type.knownKind == .session
  }
}

extension SnapshotExcerpt.Page {
  /// The key after which the page ends.
  var lastKey: [UInt8]? { entries.last?.key ?? key }

  /// Whether the page has all entries between a key and its first entry after the key.
  func covers(_ key: [UInt8]?) -> Bool {
    guard let first = self.key else { return true }
    return key.map { !$0.lexicographicallyPrecedes(first) } ?? false
  }

  /// Returns entries after a key, and whether the list ends with them; `nil` if the page has no such entries
  /// but more follow.
  ///
  /// - Throws: `corrupt` if the next entry is damaged.
  func slice(
    after key: [UInt8]?, limit: Int
  ) throws(LedgerError) -> (entries: [OpenEntry], isLast: Bool)? {
    guard covers(key) else { return nil }
    let left = left(after: key)
    if left.isEmpty, case .damage(let error) = end { throw error }
    if left.isEmpty, case .more = end { return nil }
    if case .nothing = end, left.count <= limit { return (Array(left), true) }
    return (Array(left.prefix(limit)), false)
  }

  /// Whether ``slice(after:limit:)`` gives a result or an error.
  func answers(_ key: [UInt8]?) -> Bool {
    guard covers(key) else { return false }
    if case .more = end { return !left(after: key).isEmpty }
    return true
  }

  /// Returns the page without its entries up to a key.
  func dropping(through key: [UInt8]?) -> SnapshotExcerpt.Page {
    guard let key, covers(key), key != self.key else { return self }
    return SnapshotExcerpt.Page(key: key, entries: Array(left(after: key)), end: end)
  }

  /// Returns the page extended by the entries of the next page.
  func followed(by next: SnapshotExcerpt.Page) -> SnapshotExcerpt.Page {
    guard next.key == lastKey else { return next }
    return SnapshotExcerpt.Page(key: key, entries: entries + next.entries, end: next.end)
  }

  private func left(after key: [UInt8]?) -> ArraySlice<OpenEntry> {
    guard let key else { return entries[...] }
    return entries[entries.partitioningIndex { key.lexicographicallyPrecedes($0.key) }...]
  }
}

extension SnapshotReader {
  /// Reads the requested items, each kind of them in one read.
  func excerpt(_ needs: SnapshotNeeds) throws(LedgerError) -> SnapshotExcerpt {
    var excerpt = SnapshotExcerpt(summary, countedLists: countedLists)
    guard !isEmpty, !needs.isEmpty else { return excerpt }
    var ids = needs.ids
    for (list, wanted) in needs.pages {
      excerpt[list] = try page(of: list, after: wanted.key, limit: wanted.limit)
    }
    for list in needs.lists {
      let whole = try page(of: list, after: nil, limit: .max)
      excerpt[list] = whole
      ids.formUnion(whole.entries.map(\.id))
    }
    // Sorted, because this is the fastest order for a store.
    let sorted = ids.filter(summary.mayHold).sorted()
    excerpt.reserveCapacity(sorted.count)
    for slice in sorted.slices(of: Self.sliceCount) {
      try read(slice, into: &excerpt, checksLists: needs.checksLists)
    }
    return excerpt
  }

  private func read(
    _ ids: ArraySlice<EntityID>, into excerpt: inout SnapshotExcerpt, checksLists: Bool
  ) throws(LedgerError) {
    guard let source = try sourceOfAll else { return }
    try reading(source) { (tables) throws(LedgerError) in
      let preimages = try preimages(of: ids, in: tables, checksLists: checksLists)
      for (id, preimage) in zip(ids, preimages) { excerpt[id] = preimage }
    }
  }

  private func preimages(
    of ids: ArraySlice<EntityID>, in tables: any SnapshotTables, checksLists: Bool
  ) throws(LedgerError) -> [SnapshotExcerpt.Preimage] {
    let found = try tables.records(ids)
    var preimages = found.map(SnapshotExcerpt.Preimage.init)
    let missing = preimages.indices.filter { preimages[$0].isNothing }
    let tombstones = try tables.areTombstones(missing.map { ids[ids.startIndex + $0] })
    for (index, tombstone) in zip(missing, tombstones) {
      preimages[index] = SnapshotExcerpt.Preimage(tombstone)
    }
    if checksLists { try checkLists(show: &preimages, ids, in: tables) }
    return preimages
  }

  /// Compares records with all lists.
  private func checkLists(
    show preimages: inout [SnapshotExcerpt.Preimage], _ ids: ArraySlice<EntityID>,
    in tables: any SnapshotTables
  ) throws(LedgerError) {
    var records: [(index: Int, record: SnapshotRecord.Stored)] = []
    var entities: [LedgerEntity] = []
    for (index, id) in ids.enumerated() {
      guard case .record(let record, _) = preimages[index] else { continue }
      let decoding = try LedgerError.catchingDamage { () throws(LedgerError) in
        try decoded(record, id)
      }
      switch decoding {
      case .success(let entity):
        records.append((index, record))
        entities.append(entity)
      case .failure(let error): preimages[index] = .contradicted(record, error)
      }
    }
    for ((index, record), problem) in zip(records, try tables.listProblems(of: entities)) {
      preimages[index] =
        problem.map { .contradicted(record, $0) } ?? .record(record, isChecked: true)
    }
  }
}

extension SnapshotExcerpt.Preimage {
  fileprivate init(_ record: Result<SnapshotRecord.Stored?, LedgerError>) {
    switch record {
    case .success(let record?): self = .record(record, isChecked: false)
    case .success(nil): self = .nothing
    case .failure(let error): self = .damaged(error)
    }
  }

  fileprivate init(_ isTombstone: Result<Bool, LedgerError>) {
    switch isTombstone {
    case .success(let isTombstone): self = isTombstone ? .tombstone : .nothing
    case .failure(let error): self = .damaged(error)
    }
  }

  fileprivate var isNothing: Bool { if case .nothing = self { true } else { false } }
}
