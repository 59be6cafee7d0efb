import PromiseLedger

/// The data of a page, list by list.
struct PageData {
  /// More records than this of one kind are more than a reader looks at.
  private static let largestRecordCount = 200_000

  private let replayed: ReplayedLedger
  private let inspector: BlockingInspector
  private let alive: () -> Void
  /// The first event that is in the page; the one after the last if there is none.
  private var firstEvent: Position
  private var sizes = SizeSamples()
  private var newestTime: Timestamp?
  /// The number of records that ended before the first event, by the names of their lists.
  private var endedCounts: [String: Int] = [:]
  /// The number of records that were too many.
  private var surplusCounts: [String: Int] = [:]
  private(set) var findings = Findings()

  init(
    of replayed: ReplayedLedger, in inspector: BlockingInspector, eventLimit: Int,
    _ alive: @escaping () -> Void
  ) {
    self.replayed = replayed
    self.inspector = inspector
    self.alive = alive
    let head = replayed.position.rawValue
    firstEvent = Position(rawValue: head - min(head, UInt64(eventLimit)) + 1)
  }

  // MARK: Lists

  mutating func writeEvents(_ sink: any TextSink, _ write: ([UInt8]) throws -> Void) throws {
    var lines = PageLines("events")
    var reader = EventReader(inspector: inspector, output: sink)
    reader.after = Position(rawValue: firstEvent.rawValue - 1)
    reader.through = replayed.position
    reader.notesDeletion = false
    try reader.read { event in
      if lines.count == 0 { firstEvent = event.position }
      let details = EventDetails(of: event, in: inspector)
      findings.count(details.problem)
      var record = Record(event, details)
      // The page has the rest from the object.
      record.cells = record.cells.enumerated().map { $0.offset == 5 ? $0.element : "" }
      try lines.add("\(event.kind)", record, write)
      sizes.add(event)
      newestTime = event.time
      return true
    }
    try lines.end(write)
  }

  /// Writes promises, and work, which is promises that code settles.
  mutating func writePromises(
    at now: Timestamp, _ write: ([UInt8]) throws -> Void
  ) throws {
    var promises = PageLines("promises")
    var work = PageLines("work")
    try replayed.forEachWork(at: now, progress: alive) { record, standing in
      try add(standing.state.rawValue, Record(work: record, standing), to: &work, write)
      return true
    }
    func addPromise(_ record: PromiseRecord) throws -> Bool {
      let isWork = record.work != nil
      // That is listed by now.
      if isWork, record.status == .pending { return true }
      if let end = record.end, end < firstEvent {
        endedCounts[isWork ? work.name : promises.name, default: 0] += 1
      } else if isWork {
        try add(record.stateWord, Record(settledWork: record), to: &work, write)
      } else {
        let line = Record(
          record, isStale: try replayed.isStale(record), isOverdue: record.isOverdue(at: now),
          pendingInputCount: try replayed.pendingInputCount(of: record))
        try add(record.stateWord, line, to: &promises, write)
      }
      return true
    }
    try replayed.forEachPromise(
      [.pending, .resolved, .consumed, .abandoned], progress: alive, addPromise)
    try replayed.forEachJointOrOutcome(progress: alive, addPromise)
    try promises.end(write)
    try work.end(write)
  }

  mutating func writeHandlers(_ write: ([UInt8]) throws -> Void) throws {
    var lines = PageLines("handlers")
    let liveness = try SessionLiveness(replayed)
    try replayed.forEachHandler(includesClosed: true, progress: alive) { record in
      if let end = record.end, end < firstEvent {
        endedCounts[lines.name, default: 0] += 1
      } else {
        let line = Record(record, try liveness.runners(of: record))
        try add(record.stateWord, line, to: &lines, write)
      }
      return true
    }
    try lines.end(write)
  }

  mutating func writeSessions(_ write: ([UInt8]) throws -> Void) throws {
    var lines = PageLines("sessions")
    try replayed.forEachSession(includesEnded: true, progress: alive) { session, presence in
      let liveness = Liveness(session, presence)
      if liveness == .ended, session.lastPosition < firstEvent {
        endedCounts[lines.name, default: 0] += 1
        return true
      }
      let counts = try replayed.runningCounts(of: session.id)
      let line = Record(session, liveness, calls: counts.calls, work: counts.work)
      try add(liveness.rawValue, line, to: &lines, write)
      return true
    }
    try lines.end(write)
  }

  private mutating func add(
    _ state: String, _ record: Record, to lines: inout PageLines,
    _ write: ([UInt8]) throws -> Void
  ) throws {
    if lines.count < Self.largestRecordCount {
      try lines.add(state, record, write)
    } else {
      surplusCounts[lines.name, default: 0] += 1
    }
  }

  // MARK: Facts

  func writeFacts(
    at now: Timestamp, path: String, _ write: ([UInt8]) throws -> Void
  ) throws {
    let overview = try Overview(of: replayed, at: now, progress: alive)
    let summary = try inspector.store.snapshotSummary()
    let facts = JSONValue.object([
      "path": .string(path), "shellPath": .string(path.shellWord),
      "ledger": .string("\(inspector.id)"), "generatedAt": .string("\(now)"),
      "newestTime": .string("\(newestTime ?? inspector.createdAt)"),
      "head": .unsigned(replayed.position.rawValue),
      "firstEvent": .unsigned(firstEvent.rawValue),
      "snapshotPosition": .unsigned(min(summary.position, replayed.position).rawValue),
      "deletedThrough": .unsigned(summary.deletedThrough.rawValue),
      "fileBytes": .integer(Int64(OverviewCommand.fileByteCount(at: path))),
      "sessions": .object(
        overview.sessions.reduce(into: [:]) { $0[$1.key.rawValue] = .integer(Int64($1.value)) }),
      "findings": .array(overview.findings.map { $0.pageFacts(at: path, now) }),
      "leftOut": .object(leftOut(deletedThrough: summary.deletedThrough)),
      "sizes": sizes.json,
    ])
    var element = Array("<script type=\"application/json\" id=\"meta\">".utf8)
    element.append(script: facts)
    try write(element + Array("</script>\n".utf8))
  }

  /// What the page does not have, in words, by the names of the lists.
  private func leftOut(deletedThrough: Position) -> [String: JSONValue] {
    var notes: [String: JSONValue] = [:]
    let (first, deleted) = (firstEvent.rawValue, deletedThrough.rawValue)
    var words: [String] = []
    if deleted > 0 { words.append("A compaction deleted the events up to \(deleted).") }
    if first > deleted + 1 {
      words.append(
        "The events from \(deleted + 1) to \(first - 1) are not in this page: --events puts more into it."
      )
    }
    if !words.isEmpty { notes["events"] = .string(words.joined(separator: " ")) }
    for name in ["promises", "work", "handlers", "sessions"] {
      words = []
      if let count = endedCounts[name] {
        words.append("\(count) \(name) that ended before event \(first) are not in this page.")
      }
      if let count = surplusCounts[name] {
        words.append(
          "\(count) \(name) are not in this page, because it has \(Self.largestRecordCount) of them."
        )
      }
      if !words.isEmpty { notes[name] = .string(words.joined(separator: " ")) }
    }
    return notes
  }
}
