#if Serve
  import LedgerRuntime

  /// The newest events of a ledger as lines of the page, a bounded number of them.
  struct EventTail: Sendable {
    private(set) var events: PageEvents
    /// The last event that was read.
    private(set) var position: Position
    private let limit: Int
    private var lines: [(position: Position, bytes: [UInt8])] = []
    /// The number of lines at the beginning that are no longer in it.
    private var droppedCount = 0

    init(endingAt head: Position, limit: Int) {
      self.limit = limit
      events = PageEvents(through: head, limit: limit)
      position = Position(rawValue: events.first.rawValue - 1)
    }

    mutating func add(_ event: LedgerEvent, in inspector: BlockingInspector) {
      lines.append((event.position, events.line(of: event, in: inspector).bytes))
      position = event.position
      guard lines.count - droppedCount > limit else { return }
      drop(before: lines[lines.count - limit].position)
    }

    /// Leaves out the events before a position.
    mutating func drop(before first: Position) {
      while droppedCount < lines.count, lines[droppedCount].position < first { droppedCount += 1 }
      events.drop(before: first)
      guard droppedCount > max(limit, 1_000) else { return }
      lines.removeFirst(droppedCount)
      droppedCount = 0
    }

    /// Goes on after a position: the events up to there were deleted, or are too many.
    mutating func skip(through position: Position) {
      drop(before: Position(rawValue: position.rawValue + 1))
      self.position = max(self.position, position)
    }

    /// The lines of the events after a position, at most `limit`.
    ///
    /// - Returns: `nil` if some of them are no longer here, or none was ever there: a client may name any position.
    func lines(
      after position: Position, limit: Int
    ) -> (lines: [[UInt8]], last: Position)? {
      guard position <= self.position, position.rawValue + 1 >= events.first.rawValue else {
        return nil
      }
      var (low, high) = (droppedCount, lines.count)
      while low < high {
        let middle = (low + high) / 2
        if lines[middle].position <= position { low = middle + 1 } else { high = middle }
      }
      let found = lines[low..<min(low + limit, lines.count)]
      return (found.map(\.bytes), found.last?.position ?? position)
    }

    /// Calls `body` with every line.
    func forEachLine(_ body: ([UInt8]) throws -> Void) rethrows {
      for line in lines[droppedCount...] { try body(line.bytes) }
    }
  }
#endif
