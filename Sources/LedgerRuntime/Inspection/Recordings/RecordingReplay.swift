/// The replay of a recording by this build, compared with what was recorded.
package struct RecordingReplay {
  /// The number of events before and after a divergence that describe it.
  private static let contextCount: UInt64 = 3

  private let rebuilt: RebuiltRecording
  private var state: LedgerState
  private var recorded: ArraySlice<ArchivedState>
  private var hasOtherDigest = false
  /// The kinds of handlers and work, by their ids.
  private var kinds: [EntityID: String] = [:]

  package private(set) var divergences: [RecordingDivergence] = []
  package private(set) var coverage = RecordingCoverage()
  /// The number of recorded digests that were compared: those up to the first one that differs.
  package private(set) var comparedDigestCount = 0
  /// The digest of the state after the last event.
  package private(set) var digest = StateDigest.empty

  package var position: Position { state.position }

  /// Replays a recording.
  ///
  /// - Parameter tick: Called after each slice of events.
  /// - Throws: `corrupt` if it cannot be replayed any further.
  package init(_ rebuilt: RebuiltRecording, tick: () -> Void = {}) throws(LedgerError) {
    self.rebuilt = rebuilt
    let snapshot = try SnapshotReader(rebuilt.ledger)
    let isWhole = snapshot.summary.deletedThrough == .start
    state = isWhole ? LedgerState() : LedgerState(snapshot: snapshot)
    recorded = (rebuilt.recording?.states ?? [])[...]
    try compare()
    let head = rebuilt.ledger.head()
    while state.position < head {
      let before = state.position
      _ = try rebuilt.ledger.read(after: before, limit: EventSlice.eventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: before) { (event) throws(LedgerError) in try apply(event) }
      }
      guard state.position > before else { throw .missingEvents(after: before) }
      tick()
    }
    digest = try state.digest(tick)
  }

  private mutating func apply(_ event: borrowing EventView) throws(LedgerError) {
    let (kind, subject) = (event.kind, event.subject)
    let stateBefore = word(for: subject, kind.subject)
    let blockedBefore = state.blockedThrough(subject)
    try state.apply(event)
    note(subject, kind.subject)
    coverage.count(kind, in: stateBefore, kind: kinds[subject] ?? "")
    if let problem = state.blocked[subject], state.blockedThrough(subject) != blockedBefore {
      // Every event after the first that cannot be applied is a consequence.
      if blockedBefore == nil { add(problem, of: subject) }
    }
    try compare()
  }

  // MARK: Comparing

  private mutating func compare() throws(LedgerError) {
    while let next = recorded.first, next.position <= state.position {
      recorded.removeFirst()
      guard next.position == state.position, !hasOtherDigest else { continue }
      let digest = try state.digest()
      comparedDigestCount += 1
      guard digest != next.digest else { continue }
      hasOtherDigest = true
      divergences.append(
        RecordingDivergence(
          .digestDiffers, at: next.position, of: try event(at: next.position)?.subject,
          expected: "\(next.digest)", actual: "\(digest)",
          context: try context(of: next.position)))
    }
  }

  private mutating func add(_ problem: ReplayProblem, of subject: EntityID) {
    let (kind, expected, actual): (RecordingDivergence.Kind, String, String) =
      switch problem.reason {
      case .unsupported(let kind, let version):
        (.unknownEvent, "an event of a known kind and version", "\(kind), version \(version)")
      case .opaqueRecord(let type):
        (
          .unknownEvent, "a record of a known kind and layout",
          "kind \(type.kind), layout \(type.layout)"
        )
      case .damagedPayload(let what): (.damagedEvent, "a payload that can be read", what)
      case .illegalTransition(let what):
        (.impossibleEvent, "an event that fits its subject", what)
      }
    divergences.append(
      RecordingDivergence(
        kind, at: problem.position, of: subject, expected: expected, actual: actual,
        context: (try? context(of: problem.position)) ?? []))
  }

  /// The events around a position, in words.
  package func context(of position: Position) throws(LedgerError) -> [String] {
    let first = max(position.rawValue, Self.contextCount + 1) - Self.contextCount
    return try events(first...(position.rawValue + Self.contextCount)).map(\.words)
  }

  private func event(at position: Position) throws(LedgerError) -> LedgerEvent? {
    guard position > .start else { return nil }
    return try events(position.rawValue...position.rawValue).first
  }

  private func events(
    _ range: ClosedRange<UInt64>
  ) throws(LedgerError) -> [LedgerEvent] {
    let deleted = try rebuilt.ledger.snapshotSummary().deletedThrough.rawValue
    var events: [LedgerEvent] = []
    let before = Position(rawValue: max(range.lowerBound - 1, deleted))
    _ = try rebuilt.ledger.read(after: before, limit: range.count) {
      (frame) throws(LedgerError) in
      try frame.forEachEvent(after: before) { event in
        if range.contains(event.position.rawValue) { events.append(LedgerEvent(copying: event)) }
      }
    }
    return events
  }

  // MARK: Coverage

  /// The state of an entity, in one word.
  private func word(for id: EntityID, _ subject: EventKind.Subject?) -> String {
    switch subject {
    case .promise:
      guard let promise = try? state.promise(PromiseID(entityID: id)) else { return "absent" }
      return promise.word
    case .handler:
      guard let handler = try? state.handler(HandlerID(entityID: id)) else { return "absent" }
      return handler.isRunning ? "running" : "\(handler.status)"
    case .session:
      guard let session = try? state.session(SessionID(entityID: id)) else { return "absent" }
      return session.word
    case .ledger: return state.ledgerID == nil ? "absent" : "there"
    case nil: return "unknown"
    }
  }

  private mutating func note(_ id: EntityID, _ subject: EventKind.Subject?) {
    guard kinds[id] == nil else { return }
    switch subject {
    case .promise:
      let promise = (try? state.promise(PromiseID(entityID: id))) ?? nil
      guard let promise, promise.isWork else { return }
      kinds[id] = (try? promise.creation())?.work?.kind
    case .handler: kinds[id] = (try? state.handler(HandlerID(entityID: id)))?.kind
    case .session, .ledger, nil: break
    }
  }
}

extension PromiseEntity {
  /// The state in one word.
  fileprivate var word: String {
    guard let place = workPlace else { return "\(status)" }
    return switch place.phase {
    case .running: "running"
    case .parked: "parked"
    case .waiting: place.hasStarted ? "released" : "waiting"
    }
  }
}

extension SessionEntity {
  /// The state in one word.
  fileprivate var word: String {
    switch status {
    case .open: "open"
    case .frozen: "frozen"
    case .ended: "ended"
    }
  }
}
