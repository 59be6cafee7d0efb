/// What was read of one snapshot at once: looking at it needs no store.
package struct SnapshotExcerpt: Sendable {
  /// What a snapshot has of an id.
  enum Preimage: Sendable {
    /// - Parameter isChecked: Whether the lists of the snapshot were seen to show it.
    case record(SnapshotRecord.Stored, isChecked: Bool)
    /// A record that the lists of the snapshot contradict.
    case contradicted(SnapshotRecord.Stored, LedgerError)
    case tombstone
    case nothing
    /// A record or tombstone that is damaged: only a look-up of it fails.
    case damaged(LedgerError)
  }

  /// The first entries of a list after a key.
  struct Page: Sendable {
    /// What follows the entries of a page.
    enum End: Sendable {
      case more
      case nothing
      /// An entry that cannot be trusted: only a look that comes to it fails.
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

  /// `nil` if the id was not asked for.
  subscript(id: EntityID) -> Preimage? {
    get { preimages[id] }
    set { preimages[id] = newValue }
  }

  /// `nil` if the list was not asked for.
  subscript(list: OpenList) -> Page? {
    get { pages[list] }
    set { pages[list] = newValue }
  }

  /// Prepares for so many ids.
  mutating func reserveCapacity(_ idCount: Int) { preimages.reserveCapacity(idCount) }

  /// Adds what was read later of the same snapshot.
  mutating func add(_ other: SnapshotExcerpt) {
    preimages.merge(other.preimages) { _, new in new }
    pages.merge(other.pages) { known, next in known.followed(by: next) }
  }

  /// Nothing but where the snapshot stands.
  package var outline: SnapshotExcerpt { SnapshotExcerpt(summary, countedLists: countedLists) }

  /// With what was read before, if that is of the same snapshot.
  package func following(_ earlier: SnapshotExcerpt?) -> SnapshotExcerpt {
    guard var all = earlier, all.summary.position == summary.position else { return self }
    // The state keeps the deadlines that it did not pass.
    all.pages[.deadlines] = nil
    all.add(self)
    return all
  }

  /// Forgets what is of use once only: every decision looks up its own session and the next deadlines.
  ///
  /// - Parameter passed: The entry up to which the deadlines are not looked at any more.
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
  /// After which entry the page ends.
  var lastKey: [UInt8]? { entries.last?.key ?? key }

  /// Whether nothing is missing between a key and the first entry after it that the page has.
  func covers(_ key: [UInt8]?) -> Bool {
    guard let first = self.key else { return true }
    return key.map { !$0.lexicographicallyPrecedes(first) } ?? false
  }

  /// Some entries after a key, and whether the list ends with them; `nil` if the page has none, and more
  /// follow.
  ///
  /// - Throws: `corrupt` if the next one is damaged.
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

  /// Whether ``slice(after:limit:)`` finds something out.
  func answers(_ key: [UInt8]?) -> Bool {
    guard covers(key) else { return false }
    if case .more = end { return !left(after: key).isEmpty }
    return true
  }

  /// The page without its entries up to a key.
  func dropping(through key: [UInt8]?) -> SnapshotExcerpt.Page {
    guard let key, covers(key), key != self.key else { return self }
    return SnapshotExcerpt.Page(key: key, entries: Array(left(after: key)), end: end)
  }

  /// The page with the entries of the next one.
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
  /// Reads what is wanted, each part of it in one read.
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
    // In order, for which a store is fastest.
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
