import Synchronization

/// The lists of one snapshot that were counted, so that each list is counted only once.
package final class CountedLists: Sendable {
  /// The position of that snapshot.
  let position: Position
  private let kinds = Mutex<Set<OpenList.Kind>>([])

  package init(at position: Position = .start) { self.position = position }

  func contains(_ kind: OpenList.Kind) -> Bool { kinds.withLock { $0.contains(kind) } }

  func insert(_ kind: OpenList.Kind) { kinds.withLock { _ = $0.insert(kind) } }
}

extension SnapshotReader {
  /// The maximum number of entries that one read returns.
  package static let sliceCount = 1_000

  // MARK: Entries

  /// Returns at most ``sliceCount`` entries of a list after a key, in the order of their keys.
  ///
  /// - Parameter key: The last known entry; `nil` for the first entries.
  /// - Throws: `corrupt` if an entry is damaged or the entries are out of order.
  package func entries(
    of list: OpenList, after key: [UInt8]? = nil, limit: Int = Self.sliceCount
  ) throws(LedgerError) -> [OpenEntry] {
    try entries(below: list.prefix, after: key, limit: limit)
  }

  /// Returns entries after a key, and whether the list ends with them.
  private func slice(
    of list: OpenList, after key: [UInt8]?, limit: Int
  ) throws(LedgerError) -> (entries: [OpenEntry], isLast: Bool) {
    guard source == nil else {
      let entries = try entries(of: list, after: key, limit: limit)
      return (entries, entries.count < limit)
    }
    let page = known[list]
    if let slice = try page?.slice(after: key, limit: limit) { return slice }
    // The other lists are short enough to be read completely, and decisions need their records.
    guard list.isPaged else { throw lacking { $0.note(list) } }
    guard list == .deadlines else {
      // The state keeps only pages of deadlines, so a longer page of any other list begins at its start.
      let limit = max(Self.sliceCount, 4 * (page?.entries.count ?? 0))
      throw lacking { $0.note(SnapshotNeeds.Page(key: nil, limit: limit), of: list) }
    }
    let first = page.flatMap { $0.covers(key) ? $0.lastKey : nil } ?? key
    throw lacking { $0.note(SnapshotNeeds.Page(key: first, limit: Self.sliceCount), of: list) }
  }

  /// Reads entries of a list up to the first damaged one.
  func page(
    of list: OpenList, after key: [UInt8]?, limit: Int
  ) throws(LedgerError) -> SnapshotExcerpt.Page {
    var (entries, problem) = try read(below: list.prefix, after: key, limit: limit)
    if problem == nil, limit == .max {
      let count = UInt64(entries.count)
      let counting = try LedgerError.catchingDamage { () throws(LedgerError) -> Void in
        if !list.isPart {
          try check(count, of: list.kind)
        } else if list.isCountedFirst {
          try countOnce(list.kind)
        }
      }
      if case .failure(let error) = counting { (entries, problem) = ([], error) }
    }
    let end: SnapshotExcerpt.Page.End =
      if let problem { .damage(problem) } else if entries.count < limit { .nothing } else { .more }
    return SnapshotExcerpt.Page(key: key, entries: entries, end: end)
  }

  private func entries(
    below prefix: [UInt8], after key: [UInt8]?, limit: Int
  ) throws(LedgerError) -> [OpenEntry] {
    let (entries, problem) = try read(below: prefix, after: key, limit: limit)
    if let problem { throw problem }
    return entries
  }

  /// Reads entries up to the first damaged one.
  private func read(
    below prefix: [UInt8], after key: [UInt8]?, limit: Int
  ) throws(LedgerError) -> (entries: [OpenEntry], problem: LedgerError?) {
    guard let source = try sourceOfAll else { return ([], nil) }
    return try reading(source) { (tables) throws(LedgerError) in
      var entries: [OpenEntry] = []
      var last = key ?? prefix
      let outcome = try LedgerError.catchingDamage { () throws(LedgerError) in
        // This is the only possible check for a walk that ends early.
        try tables.checkCount(of: .open, in: summary.counts)
        try tables.scan(.open, from: last) { (found, stored) throws(LedgerError) in
          guard found.starts(with: prefix), entries.count < limit else { return false }
          if found == key { return true }
          // If the entries were out of order, a walk that continues after the last one would loop forever.
          guard last.lexicographicallyPrecedes(found) else {
            throw LedgerError(
              .corrupt, "A list of open entities is damaged. Restore the ledger from a copy.")
          }
          entries.append(try OpenEntry(key: found, stored: stored))
          last = found
          return true
        }
      }
      guard case .failure(let problem) = outcome else { return (entries, nil) }
      return (entries, problem)
    }
  }

  /// Passes all entries of a list to `body`, in slices, until `body` returns false.
  ///
  /// - Parameters:
  ///   - position: For a list that is ordered by positions, only entries after this position are passed.
  ///   - firstSliceCount: The number of entries in the first read; each following slice is four times as
  ///     long, up to ``sliceCount``. Choose a small number if `body` may need only a few entries.
  /// - Throws: `corrupt`; this includes a difference, at the end of a whole list, between its number of
  ///   entries and the snapshot's count.
  package func forEachEntry(
    of list: OpenList, after position: Position = .start,
    firstSliceCount: Int = Self.sliceCount, _ body: (OpenEntry) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    let highest = EntityID(high: .max, low: .max)
    let last = position == .start ? nil : list.key(highest, order: position.rawValue)
    try forEachEntry(of: list, afterKey: last, firstSliceCount: firstSliceCount, body)
  }

  /// Passes the entries of a list after a key to `body`, in slices, until `body` returns false.
  ///
  /// - Parameters:
  ///   - key: The last known entry; `nil` for all entries.
  ///   - firstSliceCount: The number of entries in the first read, as above.
  /// - Throws: The errors of ``forEachEntry(of:after:firstSliceCount:_:)``; a walk that begins after a key
  ///   does not compare the count.
  package func forEachEntry(
    of list: OpenList, afterKey key: [UInt8]?, firstSliceCount: Int,
    _ body: (OpenEntry) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    guard !isEmpty else { return }
    // Entries missing from a part are detected only by counting the whole list. Without a source, the list
    // was counted when it was read.
    if list.isCountedFirst, source != nil { try countOnce(list.kind) }
    var last = key
    var limit = firstSliceCount
    var count: UInt64 = 0
    while true {
      let slice = try slice(of: list, after: last, limit: limit)
      for entry in slice.entries {
        guard try body(entry) else { return }
      }
      count += UInt64(slice.entries.count)
      guard !slice.isLast else { break }
      last = slice.entries.last?.key
      limit = min(limit * 4, Self.sliceCount)
    }
    if key == nil, !list.isPart { try check(count, of: list.kind) }
  }

  /// Passes the promises that work or joints await to `body`, in slices and in the order of their ids.
  ///
  /// It reads few entries of each promise, even if much awaits it.
  ///
  /// - Parameter kind: A list whose keys begin with an awaited promise.
  func forEachAwaitedPromises(
    in kind: OpenList.Kind, _ body: ([PromiseID]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    let list: [UInt8] = [kind.rawValue]
    var last: [UInt8]?
    while true {
      let slice = try entries(below: list, after: last, limit: Self.sliceCount)
      var ids: [PromiseID] = []
      for entry in slice {
        guard let awaited = entry.awaitedPromise else {
          throw entry.damaged("it names no promise")
        }
        if ids.last != awaited { ids.append(awaited) }
      }
      guard let promise = ids.last else { return }
      try body(ids)
      guard slice.count == Self.sliceCount else { return }
      // Behind all other work that awaits the last promise.
      var end = list
      promise.entityID.append(to: &end)
      end += [UInt8](repeating: .max, count: 17)
      last = end
    }
  }

  /// Passes the ids of all entities of which a session runs something to `body`, in slices. An id may come
  /// several times.
  func forEachRunningID(
    _ body: ([EntityID]) throws(LedgerError) -> Void
  ) throws(LedgerError) {
    var last: [UInt8]?
    while true {
      let slice = try entries(
        below: [OpenList.Kind.running.rawValue], after: last, limit: Self.sliceCount)
      try body(slice.map(\.id))
      guard slice.count == Self.sliceCount else { return }
      last = slice.last?.key
    }
  }

  // MARK: Entities

  /// Returns the entities that entries list, in the order of the entries.
  ///
  /// - Parameter kind: The kind of the entities; `nil` for all, and those that this build does not know.
  /// - Throws: `corrupt` if a record is missing or disagrees with its entry.
  package func entities(
    listedBy entries: [OpenEntry], of kind: EntityKind? = nil
  ) throws(LedgerError) -> [LedgerEntity] {
    var entities: [LedgerEntity] = []
    entities.reserveCapacity(entries.count)
    for slice in entries.slices(of: Self.sliceCount) {
      for (entry, record) in zip(slice, try records(slice.map(\.id))) {
        guard let record else { throw entry.withoutRecord }
        if let kind, let found = record.type.knownKind, found != kind { continue }
        let entity = try decoded(record, entry.id)
        try entry.check(entity)
        entities.append(entity)
      }
    }
    return entities
  }

  // MARK: Counts

  /// Compares the number of entries seen in a walk through a whole list with the snapshot's count.
  ///
  /// - Throws: `corrupt` if they differ.
  func check(_ count: UInt64, of kind: OpenList.Kind) throws(LedgerError) {
    let expected = summary.counts.lists[kind]
    guard count != expected else { return }
    throw kind.miscounted(count, expected: expected)
  }

  /// Compares the contents of the tables with the snapshot's counts: every entry of every list, and the
  /// numbers of records and tombstones.
  ///
  /// - Parameter tick: Called now and then.
  /// - Throws: `corrupt` if they differ, or an entry is damaged.
  /// - Complexity: O(n) in the number of entries in lists.
  package func checkCounts(_ tick: () -> Void) throws(LedgerError) {
    guard let source = try sourceOfAll else { return }
    try reading(source) { (tables) throws(LedgerError) in
      for table in SnapshotSummary.Counts.tables {
        try summary.counts.check(tables.entryCount(of: table), of: table)
      }
    }
    var pulse = Pulse()
    for kind in OpenList.Kind.allCases { try countOnce(kind) { pulse.beat(tick, steps: $0) } }
  }

  /// Counts a whole list, unless it was already counted for this snapshot.
  ///
  /// - Parameter counted: Receives the number of entries of each slice.
  private func countOnce(
    _ kind: OpenList.Kind, _ counted: (Int) -> Void = { _ in }
  ) throws(LedgerError) {
    guard !countedLists.contains(kind) else { return }
    var last: [UInt8]?
    var count: UInt64 = 0
    while true {
      let slice = try entries(below: [kind.rawValue], after: last, limit: Self.sliceCount)
      count += UInt64(slice.count)
      counted(slice.count)
      guard slice.count == Self.sliceCount else { break }
      last = slice.last?.key
    }
    try check(count, of: kind)
    countedLists.insert(kind)
  }
}
