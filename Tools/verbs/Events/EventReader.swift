import LedgerRuntime

/// Reads the events of a ledger in their order and holds one slice of them at a time.
struct EventReader {
  private static let slicesBetweenPauses = 64
  /// The longest sleep before looking for new events, if nothing shows that there are some: at most two idle
  /// wake-ups a second.
  static let longestPause = Duration.milliseconds(500)

  let inspector: BlockingInspector
  let output: any TextSink
  /// The number of events that are read together.
  var sliceEventCount = 1_000
  var after = Position.start
  var through = Position(rawValue: .max)
  /// The ledger, to wait for more events at the end; `nil` to end there.
  var followed: (any FollowedLedger)?
  /// The longest sleep, which the command must not take for a lack of progress.
  var pause = Self.longestPause
  /// Whether to print a note about events that compaction deleted.
  var notesDeletion = true
  /// Called where all events so far were passed on: before each pause, at the end, before damage is reported,
  /// and now and then.
  var pausing: () throws -> Void = {}

  /// Passes each event to `body` until it returns `false`.
  func read(_ body: (LedgerEvent) throws -> Bool) throws {
    var position = after
    var sliceCount = 0
    while position < through {
      let changes = followed?.changeCount
      let slice: [LedgerEvent]
      do throws(LedgerError) {
        slice = try inspector.events(after: position, limit: sliceEventCount)
      } catch {
        guard let through = error.eventsDeletedThrough else {
          try pausing()
          throw error
        }
        try noteDeletion(through)
        position = through
        continue
      }
      for event in slice {
        guard event.position <= through, try body(event) else { return try pausing() }
      }
      if let last = slice.last {
        position = last.position
        sliceCount += 1
        if sliceCount.isMultiple(of: Self.slicesBetweenPauses) { try pausing() }
      } else if let followed, let changes {
        try pausing()
        try output.flush()
        try followed.check()
        followed.wait(since: changes, timeout: pause)
      } else {
        break
      }
      try output.alive()
    }
    try pausing()
  }

  /// Passes all events to `body` in place: this is quick if few of them are wanted.
  func readInPlace(_ body: (borrowing EventView) -> Void) throws {
    var position = after
    while true {
      do throws(LedgerError) {
        let last = try inspector.readEvents(after: position, limit: sliceEventCount, body)
        guard last > position else { return }
        position = last
      } catch {
        guard let through = error.eventsDeletedThrough else { throw error }
        try noteDeletion(through)
        position = through
      }
      try output.alive()
    }
  }

  private func noteDeletion(_ through: Position) throws {
    guard notesDeletion else { return }
    try output.note("Events up to position \(through) were deleted by compaction.")
  }

  // MARK: Backwards

  /// Passes each event to `body`, the newest first, until it returns `false`.
  func readBackwards(_ body: (LedgerEvent) throws -> Bool) throws {
    var end = min(through, try inspector.head)
    var (first, count) = (after, UInt64(sliceEventCount))
    while end > first {
      let start = max(first, Position(rawValue: end.rawValue - min(count, end.rawValue)))
      let slice: [LedgerEvent]
      do throws(LedgerError) {
        slice = try events(after: start, through: end)
      } catch {
        if let deleted = error.eventsDeletedThrough {
          first = max(first, deleted)
          continue
        }
        // All events after the damage are passed on.
        guard error.code == .corrupt, count > 1 else { throw error }
        count /= 2
        continue
      }
      for event in slice.reversed() { guard try body(event) else { return } }
      end = start
      count = UInt64(sliceEventCount)
      try output.alive()
    }
    if first > after { try noteDeletion(first) }
  }

  /// The events after one position and up to another.
  private func events(
    after start: Position, through end: Position
  ) throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    var position = start
    while position < end {
      let slice = try inspector.events(
        after: position, limit: Int(end.rawValue - position.rawValue))
      guard let last = slice.last else { throw .missingEvents(after: position) }
      events += slice.prefix { $0.position <= end }
      position = last.position
    }
    return events
  }

  /// The position after which the last `count` events come that a filter wants.
  func start(ofLast count: Int, wantedBy filter: EventFilter) throws -> Position {
    let end = min(through, try inspector.head)
    guard count > 0 else { return max(after, end) }
    guard !filter.wantsEverything else {
      return max(after, Position(rawValue: end.rawValue - min(UInt64(count), end.rawValue)))
    }
    var (left, start) = (count, after)
    var reader = self
    reader.notesDeletion = false
    try reader.readBackwards { event in
      guard filter.wants(event) else { return true }
      left -= 1
      guard left == 0 else { return true }
      start = Position(rawValue: event.position.rawValue - 1)
      return false
    }
    return start
  }
}
