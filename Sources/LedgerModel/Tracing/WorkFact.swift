/// A fact about work: an event, or what the record of its promise still has of a deleted event.
struct WorkFact: Sendable {
  enum Content: Sendable {
    case started(Int)
    case released(WorkReleased)
    case stepFinished(WorkStepFinished)
    case cancelRequested(reason: String)
    case amended(WorkAmended)
    case resolved(PromiseOutcomeKind, at: Timestamp, StoredError?, byCode: Bool)
    case abandoned(reason: String)
    case unreadable(EventKind, isDamaged: Bool)
  }

  let content: Content
  let trace: LedgerEvent.Trace
}

// MARK: - Events

extension WorkFact {
  /// - Returns: `nil` for an event that is not about the work of a promise: its creation, its consumption.
  init?(_ event: LedgerEvent) {
    do throws(LedgerError) {
      guard let content = try Content(event) else { return nil }
      self.content = content
    } catch {
      content = .unreadable(event.kind, isDamaged: error.code != .unsupportedEvent)
    }
    trace = LedgerEvent.Trace(
      position: event.position, time: event.time, session: event.session)
  }
}

extension WorkFact.Content {
  fileprivate init?(_ event: LedgerEvent) throws(LedgerError) {
    if let started = try event.decode(as: WorkStarted.self) {
      self = .started(Int(started.attempt))
    } else if let released = try event.decode(as: WorkReleased.self) {
      self = .released(released)
    } else if let finished = try event.decode(as: WorkStepFinished.self) {
      self = .stepFinished(finished)
    } else if let requested = try event.decode(as: WorkCancelRequested.self) {
      self = .cancelRequested(reason: requested.reason)
    } else if let amended = try event.decode(as: WorkAmended.self) {
      self = .amended(amended)
    } else if let resolved = try event.decode(as: PromiseResolved.self) {
      self = .resolved(
        resolved.outcome, at: resolved.resolvedAt, try resolved.inlineError(),
        byCode: resolved.attempt != nil)
    } else if let abandoned = try event.decode(as: PromiseAbandoned.self) {
      self = .abandoned(reason: abandoned.reason)
    } else if event.kind.name == nil {
      self = .unreadable(event.kind, isDamaged: false)
    } else {
      return nil
    }
  }
}

extension PromiseResolved {
  /// The error of a rejection, unless it is stored beside the event.
  fileprivate func inlineError() throws(LedgerError) -> StoredError? {
    guard outcome == .rejected, var content else { return nil }
    if attempt != nil { content = try Self.outcome(ofAttempt: content).value }
    return try StoredError(decoding: content)
  }
}

// MARK: - Records

extension WorkFact {
  /// What the record of a promise has of the events up to a position, in their order.
  static func known(
    by entity: PromiseEntity, through end: Position
  ) throws(LedgerError) -> [WorkFact] {
    var facts: [WorkFact] = []
    if let progress = entity.progress {
      for step in progress.steps {
        facts.append(WorkFact(content: .stepFinished(try step.finished()), trace: step.fact))
      }
      if let start = progress.start {
        facts.append(WorkFact(content: .started(Int(progress.attempt)), trace: start))
      }
      if let release = progress.release {
        facts.append(WorkFact(content: .released(release.event), trace: release.fact))
      }
      if let request = progress.cancelRequest {
        facts.append(
          WorkFact(content: .cancelRequested(reason: request.reason), trace: request.fact))
      }
    }
    if let resolution = entity.resolution, let resolved = try entity.resolved() {
      facts.append(
        WorkFact(
          content: .resolved(
            resolved.outcome, at: resolved.resolvedAt, try resolved.inlineError(),
            byCode: resolved.attempt != nil),
          trace: resolution.fact))
    }
    if case .abandoned(let fact, let reason)? = entity.closing {
      facts.append(WorkFact(content: .abandoned(reason: reason), trace: fact))
    }
    return facts.filter { $0.trace.position <= end }
      .sorted { $0.trace.position < $1.trace.position }
  }
}
