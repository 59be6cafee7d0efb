import LedgerRuntime

/// The data of a page about what is in a ledger, list by list.
struct PageData {
  /// More records than this of one kind are more than a reader looks at.
  private static let largestRecordCount = 200_000

  private let replayed: ReplayedLedger
  private let inspector: BlockingInspector
  private let events: PageEvents
  private let alive: () -> Void
  private var counts: [PageList: Int] = [:]
  /// The number of records that ended before the first event.
  private var endedCounts: [PageList: Int] = [:]
  /// The number of records that were too many.
  private var surplusCounts: [PageList: Int] = [:]

  /// - Parameter events: The events that the page has: what ended before them is left out.
  init(
    of replayed: ReplayedLedger, in inspector: BlockingInspector, after events: PageEvents,
    _ alive: @escaping () -> Void
  ) {
    self.replayed = replayed
    self.inspector = inspector
    self.events = events
    self.alive = alive
  }

  // MARK: Lists

  /// Passes on the lines of all lists but that of the events.
  mutating func addRecords(at now: Timestamp, _ body: (PageLine) throws -> Void) throws {
    try addPromises(at: now, body)
    try addHandlers(body)
    try addSessions(body)
  }

  /// Adds promises, and work, which is promises that code settles.
  private mutating func addPromises(
    at now: Timestamp, _ body: (PageLine) throws -> Void
  ) throws {
    try replayed.forEachWork(at: now, progress: alive) { record, standing in
      let line = Record(work: record, standing)
      try add(.work, record.id, standing.state.rawValue, line.onPage(of: record), body)
      return true
    }
    func addPromise(_ record: PromiseRecord) throws -> Bool {
      let isWork = record.work != nil
      // That is listed by now.
      if isWork, record.status == .pending { return true }
      if let end = record.end, end < events.first {
        endedCounts[isWork ? .work : .promises, default: 0] += 1
      } else if isWork {
        let line = Record(settledWork: record).onPage(of: record)
        try add(.work, record.id, record.stateWord, line, body)
      } else {
        let line = Record(
          record, isStale: try replayed.isStale(record), isOverdue: record.isOverdue(at: now),
          pendingInputCount: try replayed.pendingInputCount(of: record))
        try add(.promises, record.id, record.stateWord, line.onPage(of: record), body)
      }
      return true
    }
    try replayed.forEachPromise(
      [.pending, .resolved, .consumed, .abandoned], progress: alive, addPromise)
    try replayed.forEachJointOrOutcome(progress: alive, addPromise)
  }

  private mutating func addHandlers(_ body: (PageLine) throws -> Void) throws {
    let liveness = try SessionLiveness(replayed)
    try replayed.forEachHandler(includesClosed: true, progress: alive) { record in
      if let end = record.end, end < events.first {
        endedCounts[.handlers, default: 0] += 1
      } else {
        let line = Record(record, try liveness.runners(of: record))
        try add(.handlers, record.id, record.stateWord, line, body)
      }
      return true
    }
  }

  private mutating func addSessions(_ body: (PageLine) throws -> Void) throws {
    try replayed.forEachSession(includesEnded: true, progress: alive) { session, presence in
      let liveness = Liveness(session, presence)
      if liveness == .ended, session.lastPosition < events.first {
        endedCounts[.sessions, default: 0] += 1
        return true
      }
      let counts = try replayed.runningCounts(of: session.id)
      let line = Record(session, liveness, calls: counts.calls, work: counts.work)
      try add(.sessions, session.id, liveness.rawValue, line, body)
      return true
    }
  }

  private mutating func add(
    _ list: PageList, _ id: some CustomStringConvertible, _ state: String, _ record: Record,
    _ body: (PageLine) throws -> Void
  ) throws {
    if counts[list, default: 0] < Self.largestRecordCount {
      counts[list, default: 0] += 1
      try body(PageLine(list, "\(id)", state, record))
    } else {
      surplusCounts[list, default: 0] += 1
    }
  }

  // MARK: Facts

  /// The facts that the script of the page begins with.
  func facts(at now: Timestamp, of ledger: ReadingOptions) throws -> JSONValue {
    let overview = try Overview(of: replayed, at: now, progress: alive)
    let summary = try replayed.snapshotSummary()
    return .object([
      "tool": .string(Program.tool.name), "path": .string(ledger.words.name),
      "shellPath": .string(ledger.words.name.shellWord),
      "shellOptions": .string(ledger.words.options.map { " \($0.shellWord)" }.joined()),
      "ledger": .string("\(inspector.id)"), "generatedAt": .string("\(now)"),
      "newestTime": .string("\(events.newestTime ?? inspector.createdAt)"),
      "head": .unsigned(replayed.position.rawValue),
      "firstEvent": .unsigned(events.first.rawValue),
      "snapshotPosition": .unsigned(min(summary.position, replayed.position).rawValue),
      "deletedThrough": .unsigned(summary.deletedThrough.rawValue),
      "fileBytes": .integer(Int64(try ledger.byteCount(of: inspector))),
      "sessions": .object(
        overview.sessions.reduce(into: [:]) { $0[$1.key.rawValue] = .integer(Int64($1.value)) }),
      "findings": .array(overview.findings.map { $0.pageFacts(for: ledger.words, now) }),
      "leftOut": .object(leftOut(deletedThrough: summary.deletedThrough)),
      "sizes": events.sizes.json,
    ])
  }

  /// What the page does not have, in words, by the names of the lists.
  private func leftOut(deletedThrough: Position) -> [String: JSONValue] {
    var notes: [String: JSONValue] = [:]
    let (first, deleted) = (events.first.rawValue, deletedThrough.rawValue)
    var words: [String] = []
    if deleted > 0 { words.append("A compaction deleted the events up to \(deleted).") }
    if first > deleted + 1 {
      words.append(
        "The events from \(deleted + 1) to \(first - 1) are not in this page: --events puts more into it."
      )
    }
    if !words.isEmpty { notes["events"] = .string(words.joined(separator: " ")) }
    for list in PageList.allCases where list != .events {
      words = []
      let name = list.rawValue
      if let count = endedCounts[list] {
        words.append("\(count) \(name) that ended before event \(first) are not in this page.")
      }
      if let count = surplusCounts[list] {
        words.append(
          "\(count) \(name) are not in this page, because it has \(Self.largestRecordCount) of them."
        )
      }
      if !words.isEmpty { notes[name] = .string(words.joined(separator: " ")) }
    }
    return notes
  }
}
