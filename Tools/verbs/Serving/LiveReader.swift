#if Serve
  import Foundation
  import LedgerRuntime

  /// Reads a ledger for the live page.
  ///
  /// Events are passed on as soon as they are there. The lists depend on the state, which is replayed for them, so they
  /// are made anew only now and then: the longer that takes, the more seldom.
  struct LiveReader {
    private static let sliceEventCount = 1_000
    /// The longest sleep if nothing shows that the ledger changed.
    private static let pause = Duration.milliseconds(250)
    /// So that much of the time is spent on looking at most, however much is written.
    private static let shortestPause = Duration.milliseconds(10)
    private static let shortestAgeOfTables = Duration.milliseconds(200)
    /// States change with time, too: work becomes due, processes end.
    private static let longestAgeOfTables = Duration.seconds(10)
    private static let heartbeat = Duration.seconds(5)

    let live: LivePage
    private let inspector: BlockingInspector
    private let reading: ReadingOptions
    private let followed: any FollowedLedger
    private let eventLimit: Int
    private let sink: any TextSink
    private var tail: EventTail
    private var tables: PageTables
    private var tablesTime: ContinuousClock.Instant
    private var tablesDuration: Duration
    private var job: TablesJob?
    private var jobBeat = -1
    private var beatTime = ContinuousClock.now
    /// Whether events were read that the lists do not know.
    private var isBehind = false

    /// Reads the ledger for the first time.
    init(
      _ inspector: BlockingInspector, of reading: ReadingOptions, _ followed: any FollowedLedger,
      eventLimit: Int, _ sink: any TextSink
    ) throws {
      self.inspector = inspector
      self.reading = reading
      self.followed = followed
      self.eventLimit = eventLimit
      self.sink = sink
      tail = EventTail(endingAt: try inspector.head, limit: eventLimit)
      while try Self.readSlice(of: inspector, into: &tail) { try sink.alive() }
      let start = ContinuousClock.now
      tables = try Self.tables(of: inspector, for: reading, tail) { try? sink.alive() }
      tablesTime = .now
      tablesDuration = tablesTime - start
      live = LivePage(tail, tables)
    }

    /// Follows the ledger until `isOver` returns `true`.
    mutating func follow(until isOver: () -> Bool) throws {
      while !isOver() {
        let changes = followed.changeCount
        let hasRead = try readEvents()
        try updateTables()
        beat()
        try followed.check()
        try showLife()
        if hasRead {
          Thread.sleep(forTimeInterval: Self.shortestPause / .seconds(1))
        } else {
          followed.wait(
            since: changes, timeout: min(Self.pause, timeToTables, reading.pulseInterval))
        }
      }
    }

    // MARK: Events

    private mutating func readEvents() throws -> Bool {
      let head = try inspector.head
      guard head > tail.position else { return false }
      // A page that would only show some of them has the newest.
      let start = head.rawValue - min(head.rawValue, UInt64(eventLimit))
      if start > tail.position.rawValue { tail.skip(through: Position(rawValue: start)) }
      while try Self.readSlice(of: inspector, into: &tail) { try sink.alive() }
      live.publish(tail)
      isBehind = true
      return true
    }

    /// Reads some events.
    ///
    /// - Returns: Whether there may be more.
    private static func readSlice(
      of inspector: BlockingInspector, into tail: inout EventTail
    ) throws -> Bool {
      do throws(LedgerError) {
        let events = try inspector.events(after: tail.position, limit: sliceEventCount)
        for event in events { tail.add(event, in: inspector) }
        return events.count >= sliceEventCount
      } catch {
        guard let through = error.eventsDeletedThrough else { throw error }
        tail.skip(through: through)
        return true
      }
    }

    // MARK: Lists

    /// Until when there is nothing to do for the lists.
    private var timeToTables: Duration {
      if job != nil { return Self.shortestPause * 2 }
      guard isBehind else { return Self.pause }
      // Without readers it is enough that a page is nearly up to date when it is opened.
      let share = live.hasReaders ? 4.0 : 20.0
      let age = max(Self.shortestAgeOfTables, tablesDuration * share)
      return max(.zero, age - (.now - tablesTime))
    }

    private mutating func updateTables() throws {
      if let job {
        guard let made = try job.result() else { return }
        try take(made, of: job)
      }
      let isOld = ContinuousClock.now - tablesTime >= Self.longestAgeOfTables
      guard isBehind && timeToTables == .zero || isOld && live.hasReaders else { return }
      (isBehind, jobBeat) = (false, -1)
      job = TablesJob { [inspector, reading, tail, tables] alive in
        try Self.tables(of: inspector, for: reading, tail, after: tables, alive)
      }
    }

    private mutating func take(_ made: PageTables, of done: TablesJob) throws {
      job = nil
      tables = made
      tablesTime = .now
      tablesDuration = tablesTime - done.start
      tail.drop(before: Position(rawValue: try deletedThrough.rawValue + 1))
      live.publish(tail)
      live.publish(tables)
    }

    private var deletedThrough: Position {
      get throws { try inspector.store.snapshotSummary().deletedThrough }
    }

    private static func tables(
      of inspector: BlockingInspector, for reading: ReadingOptions, _ tail: EventTail,
      after earlier: PageTables? = nil, _ alive: @escaping () -> Void
    ) throws -> PageTables {
      let now = SystemLedgerClock().now()
      let progress = { (_: Position) -> Void in alive() }
      return try inspector.withReplay(progress: progress) { replayed in
        var page = PageData(of: replayed, in: inspector, after: tail.events, alive)
        var lines: [PageLine] = []
        try page.addRecords(at: now) { lines.append($0) }
        return PageTables(
          version: (earlier?.version ?? 0) + 1, after: earlier, lines,
          try page.facts(at: now, of: reading))
      }
    }

    // MARK: Surroundings

    /// Shows the process that watches this one that it goes on, unless the lists hang.
    private mutating func showLife() throws {
      if let job {
        guard job.beat != jobBeat else { return }
        jobBeat = job.beat
      }
      try sink.alive()
    }

    private mutating func beat() {
      guard .now - beatTime >= Self.heartbeat else { return }
      beatTime = .now
      live.tick()
    }
  }
#endif
