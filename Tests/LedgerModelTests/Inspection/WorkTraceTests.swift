import LedgerModelTestSupport
import Testing

@testable import LedgerModel
@testable import LedgerRuntime

/// The spans of traces. Times are seconds since the creation.
@Suite(.timeLimit(.minutes(10))) struct WorkTraceTests {
  typealias Event = (second: Int64, session: Int, payload: any EventPayload)

  /// A history and its spans as text.
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let events: [@Sendable () -> Event]
    let spans: [String]

    init(_ name: String, _ events: [@Sendable () -> Event], _ spans: [String]) {
      (testDescription, self.events, self.spans) = (name, events, spans)
    }
  }

  private static func started(
    _ attempt: UInt32, at second: Int64, by session: Int = 1
  ) -> @Sendable () -> Event {
    { (second, session, WorkStarted(attempt: attempt)) }
  }

  private static func released(
    _ attempt: UInt32, at second: Int64, _ reason: WorkReleased.Reason, by session: Int = 1,
    until end: Int64? = nil
  ) -> @Sendable () -> Event {
    {
      let time = end.map { Timestamp.second(1_000 + $0) }
      let released = WorkReleased(
        attempt: attempt, reason: reason, failureCount: reason == .retrying ? 1 : 0,
        retryTime: reason == .retrying ? time : nil,
        condition: reason == .waiting ? WorkCondition(time: time) : nil,
        error: reason == .retrying ? .sample : nil)
      return (second, session, released)
    }
  }

  private static func step(
    _ name: String, _ attempt: UInt32, from start: Int64, to end: Int64,
    _ outcome: WorkStepFinished.Outcome = .value, failures: UInt32 = 0, by session: Int = 1
  ) -> @Sendable () -> Event {
    {
      let result = outcome == .failure ? StoredError.sample.encoded : Array("7".utf8)
      let step = WorkStepFinished(
        attempt: attempt, step: StepIdentity(name), outcome: outcome, failureCount: failures,
        startedAt: .second(1_000 + start), typeTag: outcome == .value ? "int" : "",
        result: result)
      return (end, session, step)
    }
  }

  private static func pause(
    _ attempt: UInt32, at second: Int64, until end: Int64
  ) -> @Sendable () -> Event {
    {
      let pause = WorkStepFinished(
        attempt: attempt, step: StepIdentity("pause"), outcome: .value,
        startedAt: .second(1_000 + second), typeTag: WorkStepFinished.pauseTypeTag,
        result: WorkStepFinished.encoded(endOfPause: .second(1_000 + end)))
      return (second, 1, pause)
    }
  }

  private static func settled(
    at second: Int64, byAttempt attempt: UInt32? = nil, _ outcome: PromiseOutcomeKind = .fulfilled,
    resolvedAt: Int64? = nil
  ) -> @Sendable () -> Event {
    {
      let resolved = PromiseResolved(
        outcome: outcome, resolvedAt: .second(1_000 + (resolvedAt ?? second)), attempt: attempt,
        content: attempt == nil ? [] : PromiseResolved.content(effects: [], then: [7]))
      return (second, 1, resolved)
    }
  }

  static let rows: [Row] = [
    Row("queued", [], ["0... queued"]),
    Row("running", [started(1, at: 2)], ["0...2 queued", "2... attempt 1 runs"]),
    Row(
      "done at once", [started(1, at: 0), settled(at: 3, byAttempt: 1)],
      ["0...3 attempt 1 fulfilled", "3...3 settlement fulfilled"]),
    Row(
      "steps and a wait",
      [
        started(1, at: 1), step("a", 1, from: 1, to: 2), step("b", 1, from: 1, to: 3, failures: 2),
        released(1, at: 3, .waiting, until: 90), started(2, at: 90, by: 2),
        step("c", 2, from: 90, to: 91, .failure, by: 2), settled(at: 92),
      ],
      [
        "0...1 queued", "1...3 attempt 1 waiting", "1...2 step a value",
        "1...3 step b value after 2",
        "3...90 idle waiting", "90...92 attempt 2 fulfilled outside, last sign 91",
        "90...91 step c failure", "92...92 settlement fulfilled",
      ]),
    Row(
      "death",
      [
        started(1, at: 0, by: 2), step("a", 1, from: 0, to: 4, by: 2),
        released(1, at: 50, .died), started(2, at: 50, by: 1),
      ],
      [
        "0...50 attempt 1 died, last sign 4", "0...4 step a value", "50...50 idle died",
        "50... attempt 2 runs",
      ]),
    Row(
      "take-over", [started(1, at: 0, by: 2), started(2, at: 60, by: 1)],
      [
        "0...60 attempt 1 taken over by 1, last sign 0", "60... attempt 2 takes over runs",
      ]),
    Row(
      "retries", [started(1, at: 0), released(1, at: 1, .retrying, until: 5), started(2, at: 6)],
      ["0...1 attempt 1 retrying", "1...6 idle retrying", "6... attempt 2 runs"]),
    Row(
      "clocks that jump",
      [
        started(1, at: 10), step("a", 1, from: 3, to: 12), released(1, at: 5, .frozen),
        started(2, at: 8), settled(at: 9, byAttempt: 2),
      ],
      [
        "0...10 queued", "10...12 attempt 1 frozen", "10...12 step a value",
        "12...12 idle frozen", "12...12 attempt 2 fulfilled", "12...12 settlement fulfilled",
      ]),
    Row(
      "a pause that the work outlives", [started(1, at: 0), pause(1, at: 1, until: 4)],
      ["0... attempt 1 runs", "1...4 pause pause until 4"]),
    Row(
      "a pause that is not over", [started(1, at: 0), pause(1, at: 1, until: 400)],
      ["0... attempt 1 runs", "1... pause pause until 400"]),
    Row(
      "a pause that the work cuts short",
      [started(1, at: 0), pause(1, at: 1, until: 400), settled(at: 7)],
      [
        "0...7 attempt 1 fulfilled outside, last sign 1", "1...7 pause pause until 400",
        "7...7 settlement fulfilled",
      ]),
    Row(
      "a deadline that was noticed late", [settled(at: 80, .timedOut, resolvedAt: 30)],
      ["0...30 queued", "30...30 settlement timedOut"]),
    Row(
      "requests",
      [
        { (1, 2, WorkAmended(parking: .parked)) }, { (2, 2, WorkAmended(parking: .resumed)) },
        started(1, at: 3), { (4, 2, WorkCancelRequested(reason: "no")) },
        step("a", 1, from: 4, to: 5, .cancelled),
        { (6, 2, PromiseAbandoned(reason: "gone")) },
      ],
      [
        "0...3 queued", "1...1 amendment parked", "2...2 amendment resumed",
        "3...6 attempt 1 abandoned, last sign 5", "4...4 cancel request no",
        "4...5 step a cancelled", "6...6 abandonment gone",
      ]),
  ]

  private func ledger(_ row: Row) throws -> WorkLedger {
    let ledger = try WorkLedger()
    try ledger.append(PromiseCreated.inTree(), at: 1_000)
    for event in row.events.map({ $0() }) {
      try ledger.append(event.payload, at: 1_000 + event.second, by: event.session)
    }
    return ledger
  }

  @Test(arguments: rows)
  func eventsMakeSpans(row: Row) throws {
    let replayed = try ledger(row).replayed()
    let trace = try #require(try replayed.trace(of: .numbered(1), at: .second(1_100)))
    #expect(trace.spans.map(\.text) == row.spans)
    #expect(trace.kind == "k" && trace.eventsDeletedThrough == nil)
    let starts = trace.spans.map(\.start)
    #expect(starts == starts.sorted())
  }

  /// What the record has takes the place of deleted events.
  @Test func theRecordFillsIn() throws {
    let row = try #require(Self.rows.first { $0.testDescription == "steps and a wait" })
    // Without the settlement, which drops the steps.
    let ledger = try ledger(Row("", row.events.dropLast(), []))
    let entity = try ledger.promise(1)
    let created = entity.created.position
    let all = try ledger.events(of: 1)
    func spans(deletedThrough count: Int) throws -> [String] {
      let deleted = created.advanced(by: count)
      let trace = try #require(
        try WorkTrace(
          entity, events: all.filter { $0.position > deleted }, deletedThrough: deleted,
          at: .second(1_100)))
      #expect(trace.eventsDeletedThrough == deleted && trace.attemptCount == 2)
      return trace.spans.map(\.text)
    }
    let steps = ["1...2 step a value", "1...3 step b value after 2"]
    let newest = ["90... attempt 2 runs", "90...91 step c failure"]
    // The start of attempt 1, then everything up to its end, then everything.
    #expect(
      try spans(deletedThrough: 1)
        == ["0...3 deleted"] + steps + ["3...90 idle waiting"] + newest)
    #expect(try spans(deletedThrough: 4) == ["0...90 deleted"] + steps + newest)
    #expect(try spans(deletedThrough: 6) == ["0...90 deleted"] + steps + newest)
  }

  @Test func onlyWorkHasATrace() throws {
    let ledger = try WorkLedger(.folded)
    try ledger.createPromise(1)
    try ledger.create(2)
    let replayed = try ledger.replayed()
    #expect(try replayed.trace(of: .numbered(1), at: .second(1)) == nil)
    #expect(try replayed.trace(of: .numbered(9), at: .second(1)) == nil)
    #expect(try replayed.trace(of: .numbered(2), at: .second(1))?.spans.count == 1)
    try ledger.foldAsLaterVersion(2)
    let error = #expect(throws: LedgerError.self) {
      try ledger.replayed().trace(of: .numbered(2), at: .second(1))
    }
    #expect(error?.code == .unsupportedEvent)
  }

  /// Events that cannot be read are shown, and those before and after them, too.
  @Test func unreadableEventsAreShown() throws {
    let ledger = try WorkLedger()
    try ledger.create(1)
    let id = PromiseID.numbered(1).entityID
    try ledger.append([
      .raw(EventKind(rawValue: 999), on: id, at: .second(1_001)),
      .raw(.workStarted, version: 9, on: id, at: .second(1_002)),
      .raw(.workReleased, on: id, at: .second(1_003), payload: [9]),
    ])
    let trace = try #require(
      try ledger.replayed().trace(of: .numbered(1), at: .second(1_100)))
    #expect(
      trace.spans.map(\.text) == [
        "0... queued", "1...1 unreadable unknown(999)", "2...2 unreadable workStarted",
        "3...3 unreadable workReleased damaged",
      ])
  }
}

extension WorkLedger {
  /// The events of a promise.
  fileprivate func events(of number: Int) throws -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    _ = try store.read(after: .start, limit: .max) { (frame) throws(LedgerError) in
      try frame.forEachEvent { event in
        if event.subject == PromiseID.numbered(number).entityID {
          events.append(LedgerEvent(copying: event))
        }
      }
    }
    return events
  }
}

extension WorkTrace.Span {
  fileprivate var text: String {
    let end = end.map { "\($0.seconds)" } ?? ""
    return "\(start.seconds)...\(end) \(content.text(end: self.end))"
  }
}

extension WorkTrace.Content {
  fileprivate func text(end: Timestamp?) -> String {
    switch self {
    case .queued: "queued"
    case .deleted: "deleted"
    case .attempt(let attempt): attempt.text(end: end)
    case .step(let step):
      "step \(step.identity) \(step.outcome.text)"
        + (step.failureCount > 0 ? " after \(step.failureCount)" : "")
    case .pause(let step, _, let time): "pause \(step) until \(time.seconds)"
    case .idle(let released): "idle \(released.reason)"
    case .cancelRequest(let reason): "cancel request \(reason)"
    case .amendment(let amended): "amendment \(amended.parking)"
    case .settlement(let outcome, _): "settlement \(outcome)"
    case .abandonment(let reason): "abandonment \(reason)"
    case .unreadable(let kind, let isDamaged): "unreadable \(kind)\(isDamaged ? " damaged" : "")"
    }
  }
}

extension WorkTrace.Attempt {
  fileprivate func text(end time: Timestamp?) -> String {
    var text = "attempt \(number)\(tookOver ? " takes over" : "") "
    switch end {
    case nil: text += "runs"
    case .released(let released): text += "\(released.reason)"
    case .tookOver(let session): text += "taken over by \(session.entityID.high >> 16 & 0xFFF)"
    case .settled(let outcome, let byCode): text += "\(outcome)\(byCode ? "" : " outside")"
    case .abandoned: text += "abandoned"
    }
    guard let time, time != lastSign else { return text }
    return "\(text), last sign \(lastSign.seconds)"
  }
}

extension WorkTrace.StepOutcome {
  fileprivate var text: String {
    switch self {
    case .value(_, let bytes): bytes == Array("7".utf8) ? "value" : "other value"
    case .failure(let error): error == .sample ? "failure" : "other failure"
    case .cancelled: "cancelled"
    }
  }
}

extension Timestamp {
  /// Seconds since the creation.
  fileprivate var seconds: Int64 { nanosecondsSinceEpoch / 1_000_000_000 - 1_000 }
}
