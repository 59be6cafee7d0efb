import LedgerRuntime

/// The numbers of pending works of each kind, by their states.
struct WorkCounts {
  private struct Kind {
    var counts: [WorkStanding.State: Int] = [:]
    var oldest: Timestamp
  }

  private static let states: [WorkStanding.State] = [
    .due, .waiting, .running, .retrying, .parked, .orphaned,
  ]

  static let columns =
    [Column("kind", width: 20)]
    + states.map { Column($0.rawValue, width: 8, isRightAligned: true) } + [Column("oldest")]

  private var kinds: [String: Kind] = [:]

  mutating func add(_ record: PromiseRecord, _ standing: WorkStanding) {
    guard let work = record.work else { return }
    let created = record.created.time
    var kind = kinds[work.kind] ?? Kind(oldest: created)
    kind.counts[standing.state, default: 0] += 1
    kind.oldest = min(kind.oldest, created)
    kinds[work.kind] = kind
  }

  /// A line for each kind, in the order of names.
  var records: [Record] {
    kinds.sorted { $0.key < $1.key }.map { name, kind in
      var members: [String: JSONValue] = [
        "handlerKind": .string(name), "oldest": .string("\(kind.oldest)"),
      ]
      for state in Self.states {
        members[state.rawValue] = .integer(Int64(kind.counts[state] ?? 0))
      }
      let counts = Self.states.map { "\(kind.counts[$0] ?? 0)" }
      return Record(
        cells: [name.escapingControlCharacters] + counts + ["\(kind.oldest)"],
        json: .object(members))
    }
  }
}
