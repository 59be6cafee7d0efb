import LedgerBytes

extension SnapshotSummary {
  /// The numbers of records and entries in the snapshot.
  public struct Counts: Sendable, Hashable {
    /// The number of promises that the first version of the format can represent.
    package var promises: UInt64 = 0
    package var sessions: UInt64 = 0
    package var handlers: UInt64 = 0
    package var tombstones: UInt64 = 0
    /// The total size of the contents of all records, in bytes.
    package var bytes: UInt64 = 0
    /// The number of entries in each list.
    package var lists = Lists()
    /// The numbers of records that the first version of the format cannot represent.
    private var laterCounts: [RecordType: UInt64] = [:]
    /// Whether there are records that only a later version can read.
    package private(set) var hasOpaque = false

    package init() {}

    /// The number of records that only a later version can read.
    package var opaque: UInt64 {
      laterCounts.reduce(0) { $0 &+ ($1.key.knownKind == nil ? $1.value : 0) }
    }

    /// The number of promises that the first version of the format cannot represent.
    package var extendedPromises: UInt64 { laterCounts[.extendedPromise, default: 0] }

    package var records: UInt64 {
      promises &+ sessions &+ handlers &+ laterCounts.values.reduce(0, &+)
    }

    private subscript(type: RecordType) -> UInt64 {
      get {
        switch type {
        case .promise: promises
        case .session: sessions
        case .handler: handlers
        default: laterCounts[type, default: 0]
        }
      }
      set {
        switch type {
        case .promise: promises = newValue
        case .session: sessions = newValue
        case .handler: handlers = newValue
        default: setLater(type, newValue)
        }
      }
    }

    fileprivate mutating func setLater(_ type: RecordType, _ count: UInt64) {
      laterCounts[type] = count == 0 ? nil : count
      if type.knownKind == nil { hasOpaque = laterCounts.keys.contains { $0.knownKind == nil } }
    }

    /// Counts a record.
    package mutating func add(_ type: RecordType, byteCount: Int) {
      self[type] &+= 1
      bytes &+= UInt64(byteCount)
    }

    /// Removes a record from the counts.
    mutating func subtract(_ type: RecordType, byteCount: Int) {
      self[type] &-= 1
      bytes &-= UInt64(byteCount)
    }
  }

  /// The number of entries in each list of the snapshot.
  package struct Lists: Sendable, Hashable {
    private var counts = [UInt64](repeating: 0, count: OpenList.Kind.allCases.count)
    /// The numbers of entries in the lists that only a later version knows, by the first byte of their keys.
    fileprivate var unknownCounts: [UInt8: UInt64] = [:]

    package init() {}

    package subscript(kind: OpenList.Kind) -> UInt64 {
      get { counts[kind.index] }
      set { counts[kind.index] = newValue }
    }

    /// The numbers of entries in the lists that the first version does not know, by the first byte of their
    /// keys; no zeros.
    fileprivate var laterCounts: [UInt8: UInt64] {
      var all = unknownCounts
      for kind in OpenList.Kind.allCases where kind.index >= OpenList.Kind.original.count {
        if self[kind] > 0 { all[kind.rawValue] = self[kind] }
      }
      return all
    }

    /// - Returns: Whether the list may have such a count.
    fileprivate mutating func setLater(_ list: UInt8, _ count: UInt64) -> Bool {
      guard let kind = OpenList.Kind(rawValue: list) else {
        unknownCounts[list] = count
        return true
      }
      self[kind] = count
      return kind.index >= OpenList.Kind.original.count
    }

    /// The number of entries in all lists.
    package var total: UInt64 {
      counts.reduce(0, &+) &+ unknownCounts.values.reduce(0, &+)
    }

    package mutating func add(_ entry: OpenEntry) { count(entry, 1) }

    mutating func subtract(_ entry: OpenEntry) { count(entry, -1) }

    private mutating func count(_ entry: OpenEntry, _ step: Int64) {
      let step = UInt64(bitPattern: step)
      if let kind = entry.kind {
        self[kind] &+= step
      } else {
        let count = unknownCounts[entry.key[0], default: 0] &+ step
        unknownCounts[entry.key[0]] = count == 0 ? nil : count
      }
    }
  }
}

// MARK: - Counts of later versions

extension SnapshotSummary.Counts {
  /// The end of a summary's counts: each consists of a marker (1), a number (1), a layout or 0 (1), 0 (1),
  /// and a count (8), in the order of the first three fields; none if the first version of the format can
  /// represent the counts.
  private enum Marker {
    static let record: UInt8 = 1
    static let list: UInt8 = 2
  }

  func appendOthers(to bytes: inout [UInt8]) {
    for (type, count) in laterCounts.sorted(by: { $0.key < $1.key }) {
      bytes += [Marker.record, type.kind, type.layout, 0]
      bytes.appendLittleEndian(count)
    }
    for (list, count) in lists.laterCounts.sorted(by: { $0.key < $1.key }) {
      bytes += [Marker.list, list, 0, 0]
      bytes.appendLittleEndian(count)
    }
  }

  mutating func readOthers(_ reader: inout PayloadReader) throws(PayloadDamage) {
    var last: [UInt8] = []
    while !reader.isAtEnd {
      let head = try reader.bytes(4)
      let count: UInt64 = try reader.integer()
      guard last.lexicographicallyPrecedes(head), head[3] == 0, count > 0 else {
        throw PayloadDamage(what: "its counts are out of order")
      }
      last = head
      let type = RecordType(kind: head[1], layout: head[2])
      switch head[0] {
      case Marker.record where type.kind > 0 && type.layout != RecordType.original:
        setLater(type, count)
      case Marker.list where head[1] > 0 && head[2] == 0:
        guard lists.setLater(head[1], count) else {
          throw PayloadDamage(what: "it has an impossible count")
        }
      default: throw PayloadDamage(what: "one of its counts is impossible")
      }
    }
  }
}

// MARK: - Comparing

extension SnapshotSummary.Counts {
  /// The tables whose entries are counted.
  package static let tables: [SnapshotTable] = [.entities, .open, .tombstones]

  /// Compares the number of entries in a table with the snapshot's count.
  ///
  /// - Throws: `corrupt` if they differ.
  package func check(_ count: Int, of table: SnapshotTable) throws(LedgerError) {
    let expected: UInt64
    switch table {
    case .entities: expected = records
    case .open: expected = lists.total
    case .tombstones: expected = tombstones
    case .parts, .meta, .log, .blob: return
    }
    guard UInt64(exactly: count) != expected else { return }
    throw LedgerError(
      .corrupt,
      "The table \(table.name) has \(count) entries, but the snapshot counts \(expected). Restore the ledger from a copy; `promise-ledger log` shows the events that can still be read."
    )
  }
}

extension OpenList.Kind {
  /// The index of the list's count among the counts of all lists.
  fileprivate var index: Int {
    switch self {
    case .scopes: 0
    case .deadlines: 1
    case .handlers: 2
    case .promises: 3
    case .running: 4
    case .sessions: 5
    case .closed: 6
    case .awaitingWork: 7
    case .parkedWork: 8
    case .children: 9
    case .lanes: 10
    case .dueWork: 11
    case .work: 12
    case .timedWork: 13
    case .joints: 14
    }
  }
}
