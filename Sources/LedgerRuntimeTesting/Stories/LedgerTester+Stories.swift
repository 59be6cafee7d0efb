import LedgerModel
public import LedgerRuntime

extension LedgerTester {
  // MARK: Given

  /// Sets the scene. No expectation need name the events of `body`.
  ///
  /// Code outside of ``when(_:fileID:line:)`` sets the scene too; this says so.
  ///
  /// - Returns: The result of `body`.
  /// - Throws: ``UnnamedEvents`` if no expectation follows the `when` before; any error of `body`.
  @discardableResult
  public func given<R: Sendable>(_ body: () async throws -> R) async throws -> R {
    try requireNamedEvents()
    return try await body()
  }

  /// Sets the scene with events of another ledger, such as all of its `Ledger.events(after:)`, as they are. Only
  /// the first event of all names this ledger instead of the other one.
  ///
  /// Their sessions count as gone. So the first process that opens afterwards ends them, and gives back what they
  /// ran. The clock moves to the newest event, unless it is ahead.
  ///
  /// - Parameter events: The events in their order. The first one follows the newest event of this ledger.
  /// - Throws: `LedgerError` with `invalidArgument` if the positions do not follow this ledger's, or a large
  ///   value is stored beside an event; ``UnnamedEvents``.
  public func given(events: [LedgerEvent]) throws {
    try requireNamedEvents()
    guard let last = events.last else { return }
    try withStore { (store) throws(LedgerError) in
      var (head, number) = (try store.head(), UInt64(0))
      // One commit for what a session wrote without another in between.
      for part in events.chunked(by: \.session) {
        var batch = EventBatch()
        for event in part {
          guard event.position == head.advanced(by: batch.count + 1),
            event.attachmentByteCount == 0
          else { throw .notGiven(event, head) }
          try batch.append(NewEvent(event, in: store.ledgerID))
        }
        number += 1
        let commit = CommitID(session: part[part.startIndex].session, number: number)
        _ = try store.commit(commit, after: head) { (_, _) throws(LedgerError) in batch }
        head = head.advanced(by: batch.count)
      }
    }
    skipIDs(ofSessions: Set(events.map(\.session)).count)
    let now = clock.now()
    if last.time > now { clock.advance(by: last.time - now) }
  }

  // MARK: When

  /// Runs one command, whose events an expectation must then name.
  ///
  /// ```swift
  /// try await tester.when { try await promise.fulfill(1) }
  ///   .then(.promiseResolved(promise, .fulfilled(1)))
  /// ```
  ///
  /// An expectation must follow before the next `given` or `when`, and before the end of the test, so that no event goes
  /// unnoticed. The command may also freeze a process, move the
  /// clock, or run work.
  ///
  /// - Parameters:
  ///   - body: The command. Its error becomes a part of the result.
  ///   - fileID: The file of the caller, for errors.
  ///   - line: The line of the caller, for errors.
  /// - Throws: ``UnnamedEvents`` if no expectation follows the `when` before; `LedgerError` if the events cannot
  ///   be read, with `eventsDeleted` if the command itself deleted some of them.
  public func when<Answer: Sendable>(
    _ body: () async throws -> Answer, fileID: String = #fileID, line: Int = #line
  ) async throws -> LedgerReaction<Answer> {
    try requireNamedEvents()
    let start = try withStore { (store) throws(LedgerError) in try store.head() }
    let result: Result<Answer, any Error>
    do {
      result = .success(try await body())
    } catch {
      // Code of a process that a crash ended does not go on.
      if crash.isTripped { throw error }
      result = .failure(error)
    }
    let (events, names, end) = try lines(after: start)
    let number = openReaction(events.map { $0.words(names) }, at: "\(fileID):\(line)")
    return LedgerReaction(
      tester: self, number: number, events: events, names: names, end: end, result: result)
  }

  /// - Throws: ``UnnamedEvents`` if no expectation follows the last `when`.
  func requireNamedEvents() throws {
    guard let open = takeOpenReaction(), checksExpectations else { return }
    throw UnnamedEvents(events: open.events, place: open.place)
  }

  /// The events after a position, names for the entities of the ledger, and the position of the newest event.
  ///
  /// - Throws: `eventsDeleted` if some of the events are gone.
  private func lines(
    after start: Position
  ) throws(LedgerError) -> ([EventLine], EntityNames, end: Position) {
    try withStore { (store) throws(LedgerError) in
      var names = EntityNames()
      var lines: [EventLine] = []
      var position = try store.snapshotSummary().deletedThrough
      let end = try store.head()
      guard position <= start else { throw .deletedMeanwhile(position) }
      while position < end {
        let stored = try store.storedEvents(after: position, through: end, limit: 1_000)
        guard let last = stored.last else { throw .missingEvents(after: position) }
        for (event, attachment) in stored {
          let event = LedgerEvent(copying: event.view)
          try names.add(event)
          guard event.position > start else { continue }
          let isJoint = try names.isResolutionOfJoint(event, in: store)
          lines.append(
            try EventLine(event, attachment: try attachment.get(), isJoint: isJoint))
        }
        position = last.event.position
      }
      return (lines, names, end)
    }
  }
}

extension NewEvent {
  /// The event as another ledger has it.
  fileprivate init(_ event: LedgerEvent, in ledger: LedgerID) {
    self.init(
      kind: event.kind, version: event.version, time: event.time,
      subject: event.kind == .ledgerCreated ? ledger.entityID : event.subject,
      cause: event.cause ?? .start, payload: event.payload)
  }
}

extension [LedgerEvent] {
  /// The events in parts that have the same value.
  fileprivate func chunked<Value: Equatable>(
    by value: (LedgerEvent) -> Value
  ) -> [ArraySlice<LedgerEvent>] {
    var parts: [ArraySlice<LedgerEvent>] = []
    var rest = self[...]
    while let first = rest.first {
      let part = rest.prefix { value($0) == value(first) }
      parts.append(part)
      rest = rest.dropFirst(part.count)
    }
    return parts
  }
}

extension LedgerError {
  fileprivate static func deletedMeanwhile(_ position: Position) -> LedgerError {
    LedgerError(
      .eventsDeleted,
      "The command deleted events of its own, up to \(position), so that no expectation can name them. Compact in another command."
    )
  }

  fileprivate static func notGiven(_ event: LedgerEvent, _ head: Position) -> LedgerError {
    LedgerError(
      .invalidArgument,
      event.attachmentByteCount > 0
        ? "A value of \(event.attachmentByteCount) bytes is stored beside event \(event.position), and is not given with it."
        : "Event \(event.position) does not follow event \(head) of this ledger. Give all events of a ledger, in order, to an empty one."
    )
  }
}
