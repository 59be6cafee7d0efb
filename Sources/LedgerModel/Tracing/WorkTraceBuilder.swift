extension WorkTrace {
  /// Makes the trace of work.
  ///
  /// - Parameters:
  ///   - entity: The promise.
  ///   - events: The events of the promise that are kept, in the order of positions.
  ///   - deleted: The position up to which the events of the ledger were deleted.
  ///   - time: The time for which the trace holds.
  /// - Returns: `nil` if code does not settle the promise.
  package init?(
    _ entity: PromiseEntity, events: [LedgerEvent], deletedThrough deleted: Position,
    at time: Timestamp
  ) throws(LedgerError) {
    guard let work = try entity.creation().work else { return nil }
    let attemptCount = Int(entity.progress?.attempt ?? 0)
    let isCut = entity.created.position <= deleted
    var builder = WorkTraceBuilder(
      entity.created, work.trigger, lacksAttempts: isCut && attemptCount > 0)
    for fact in try WorkFact.known(by: entity, through: deleted) { builder.add(fact) }
    for event in events where event.position > deleted {
      if let fact = WorkFact(event) { builder.add(fact) }
    }
    id = entity.id
    kind = work.kind
    created = entity.created
    self.time = time
    self.attemptCount = attemptCount
    eventsDeletedThrough = isCut ? deleted : nil
    spans = builder.finished(at: time)
  }
}

/// Turns the facts about work, in the order of positions, into spans. It accepts any order of facts: those of
/// deleted events may be missing.
private struct WorkTraceBuilder {
  private var spans: [WorkTrace.Span] = []
  /// The time in which no attempt runs, since its start.
  private var rest: (content: WorkTrace.Content, trace: LedgerEvent.Trace)?
  /// The attempt that runs.
  private var attempt: (content: WorkTrace.Attempt, trace: LedgerEvent.Trace)?
  /// The newest time of any fact so far.
  private var latest: Timestamp
  /// Whether events of attempts may be missing.
  private let lacksAttempts: Bool
  private var isSettled = false

  init(_ created: LedgerEvent.Trace, _ trigger: WorkTrigger, lacksAttempts: Bool) {
    rest = (.queued(trigger), created)
    latest = created.time
    self.lacksAttempts = lacksAttempts
  }

  mutating func add(_ fact: WorkFact) {
    var trace = fact.trace
    if case .resolved(_, let time, _, _) = fact.content { trace.time = min(trace.time, time) }
    trace.time = max(trace.time, latest)
    latest = trace.time
    switch fact.content {
    case .started(let number): start(number, trace)
    case .released(let released): release(released, trace)
    case .stepFinished(let finished): finish(finished, trace)
    case .cancelRequested(let reason): addMoment(.cancelRequest(reason: reason), trace)
    case .amended(let amended): addMoment(.amendment(amended), trace)
    case .resolved(let outcome, _, let error, let byCode):
      endAll(.settled(outcome, byCode: byCode), trace)
      addMoment(.settlement(outcome, error), trace)
      isSettled = true
    case .abandoned(let reason):
      endAll(.abandoned, trace)
      addMoment(.abandonment(reason: reason), trace)
      isSettled = true
    case .unreadable(let kind, let isDamaged):
      addMoment(.unreadable(kind, isDamaged: isDamaged), trace)
    }
  }

  /// All spans, in the order of their starts.
  ///
  /// - Parameter time: The time for which they hold.
  func finished(at time: Timestamp) -> [WorkTrace.Span] {
    // A pause may end before its time, with the work.
    var all = spans.map { isSettled ? $0.ended(by: latest) : $0.begun(by: max(time, latest)) }
    if let attempt { all.append(span(.attempt(attempt.content), attempt.trace, nil)) }
    if let rest { all.append(span(rest.content, rest.trace, nil)) }
    return all.sorted { ($0.start, $0.position) < ($1.start, $1.position) }
  }

  // MARK: Attempts

  private mutating func start(_ number: Int, _ trace: LedgerEvent.Trace) {
    let tookOver = attempt != nil
    if number > 1 { noteMissingAttempts() }
    endAll(.tookOver(by: trace.session), trace)
    attempt = (
      WorkTrace.Attempt(number: number, tookOver: tookOver, lastSign: trace.time), trace
    )
  }

  private mutating func release(_ released: WorkReleased, _ trace: LedgerEvent.Trace) {
    if attempt == nil { noteMissingAttempts() }
    endAll(.released(released), trace)
    rest = (.idle(released), trace)
  }

  /// Ends the attempt that runs, or the time in which none runs.
  private mutating func endAll(_ end: WorkTrace.AttemptEnd, _ trace: LedgerEvent.Trace) {
    if let rest, rest.content.isIdle || rest.trace.time < trace.time {
      spans.append(span(rest.content, rest.trace, trace.time))
    }
    rest = nil
    guard var ended = attempt else { return }
    ended.content.end = end
    if end.isBySession { ended.content.lastSign = trace.time }
    spans.append(span(.attempt(ended.content), ended.trace, trace.time))
    attempt = nil
  }

  /// The time before the first known attempt was not spent in a queue.
  private mutating func noteMissingAttempts() {
    guard lacksAttempts, let trace = rest?.trace, rest?.content.isIdle == false else { return }
    rest = (.deleted, trace)
  }

  // MARK: Steps

  private mutating func finish(_ finished: WorkStepFinished, _ trace: LedgerEvent.Trace) {
    // The attempt before may have been taken over since.
    let isRunning = attempt.map { $0.content.number == Int(finished.attempt) } ?? false
    let earliest = (isRunning ? attempt?.trace.time : nil) ?? .distantPast
    let start = min(max(finished.startedAt, earliest), trace.time)
    if isRunning { attempt?.content.lastSign = trace.time }
    let result = finished.content.flatMap { content in
      try? PromiseResolved.outcome(ofAttempt: content).value
    }
    if finished.typeTag == WorkStepFinished.pauseTypeTag,
      let end = result.flatMap(WorkStepFinished.endOfPause)
    {
      spans.append(
        span(
          .pause(finished.step, attempt: Int(finished.attempt), until: end), trace,
          max(end, trace.time)))
      return
    }
    let step = WorkTrace.Step(
      identity: finished.step, attempt: Int(finished.attempt),
      failureCount: Int(finished.failureCount), outcome: finished.stepOutcome(result))
    spans.append(
      WorkTrace.Span(
        content: .step(step), start: start, end: trace.time, position: trace.position,
        session: trace.session))
  }

  private mutating func addMoment(_ content: WorkTrace.Content, _ trace: LedgerEvent.Trace) {
    spans.append(span(content, trace, trace.time))
  }

  private func span(
    _ content: WorkTrace.Content, _ trace: LedgerEvent.Trace, _ end: Timestamp?
  ) -> WorkTrace.Span {
    WorkTrace.Span(
      content: content, start: trace.time, end: end, position: trace.position,
      session: trace.session)
  }
}

extension WorkTrace.Span {
  /// The same span, which ended at a time at the latest.
  fileprivate func ended(by time: Timestamp) -> Self { ending(at: end.map { min($0, time) }) }

  /// The same span, which has not ended if its end comes after a time.
  fileprivate func begun(by time: Timestamp) -> Self {
    ending(at: end.flatMap { $0 > time ? nil : $0 })
  }

  private func ending(at end: Timestamp?) -> Self {
    Self(content: content, start: start, end: end, position: position, session: session)
  }
}

extension WorkTrace.Content {
  /// Whether it is the time after a release, which is shown even if it was short.
  fileprivate var isIdle: Bool {
    if case .idle = self { true } else { false }
  }
}

extension WorkTrace.AttemptEnd {
  /// Whether the session of the attempt recorded its end.
  fileprivate var isBySession: Bool {
    switch self {
    case .released(let released): released.reason != .died
    case .settled(_, let byCode): byCode
    case .tookOver, .abandoned: false
    }
  }
}

extension WorkStepFinished {
  /// - Parameter result: The value, the error or the reason; `nil` if it is stored beside the event.
  fileprivate func stepOutcome(_ result: [UInt8]?) -> WorkTrace.StepOutcome {
    switch outcome {
    case .value: .value(typeTag: typeTag, bytes: result)
    case .failure: .failure(result.flatMap { try? StoredError(decoding: $0) })
    case .cancelled: .cancelled(reason: String(decoding: result ?? [], as: UTF8.self))
    }
  }
}

extension Timestamp {
  fileprivate static let distantPast = Timestamp(nanosecondsSinceEpoch: .min)
}
