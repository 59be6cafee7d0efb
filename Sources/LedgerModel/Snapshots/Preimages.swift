/// What a snapshot has of some ids, read at once: replay over it and its changes need no more reads.
struct Preimages: Sendable {
  /// What a snapshot has of an id.
  enum Preimage: Sendable {
    case record(SnapshotRecord.Stored)
    case tombstone
    case nothing
  }

  private var preimages: [EntityID: Preimage] = [:]

  init(minimumCapacity: Int) {
    preimages.reserveCapacity(minimumCapacity)
  }

  /// `nil` if the id was not asked for.
  subscript(id: EntityID) -> Preimage? {
    get { preimages[id] }
    set { preimages[id] = newValue }
  }

  /// The records of ids; `nil` if one of them was not asked for.
  func records(_ ids: some Collection<EntityID>) -> [SnapshotRecord.Stored?]? {
    var records: [SnapshotRecord.Stored?] = []
    records.reserveCapacity(ids.count)
    for id in ids {
      switch preimages[id] {
      case .record(let stored): records.append(stored)
      case .tombstone, .nothing: records.append(nil)
      case nil: return nil
      }
    }
    return records
  }
}

extension SnapshotReader {
  /// A reader that knows the records and tombstones of these ids already.
  ///
  /// A damaged one is left out: whoever needs it reads it, and gets the error then.
  ///
  /// - Parameter ids: In order, for which a store is fastest.
  func preloading(_ ids: [EntityID]) throws(LedgerError) -> SnapshotReader {
    guard !isEmpty else { return self }
    var known = Preimages(minimumCapacity: ids.count)
    for start in stride(from: 0, to: ids.count, by: Self.sliceCount) {
      let slice = ids[start..<min(start + Self.sliceCount, ids.count)]
      for (id, preimage) in zip(slice, try preimages(of: slice)) { known[id] = preimage }
    }
    return knowing(known)
  }
}
