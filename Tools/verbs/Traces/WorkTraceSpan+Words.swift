import LedgerRuntime

extension WorkTrace.Span {
  /// Its name in the drawing.
  var name: String {
    switch content {
    case .queued: "queued"
    case .deleted: "deleted events"
    case .attempt(let attempt): "attempt \(attempt.number)"
    case .step(let step): "  \("\(step.identity)".escapingControlCharacters)"
    case .pause(let step, _, _): "  \("\(step)".escapingControlCharacters)"
    case .idle(let released): released.reason == .waiting ? "wait" : "released"
    case .cancelRequest: "cancel request"
    case .amendment: "amendment"
    case .settlement: "settlement"
    case .abandonment: "abandonment"
    case .unreadable: "unreadable event"
    @unknown default: "unknown"
    }
  }

  /// Whether it has no length.
  var isMoment: Bool {
    switch content {
    case .cancelRequest, .amendment, .settlement, .abandonment, .unreadable: true
    default: false
    }
  }

  /// Whether it is a part of an attempt.
  var isInAttempt: Bool {
    switch content {
    case .step, .pause: true
    default: false
    }
  }

  var isPause: Bool {
    if case .pause = content { true } else { false }
  }

  /// Whether it ended badly.
  var isFailure: Bool {
    switch content {
    case .step(let step):
      if case .failure = step.outcome { return true }
      return false
    case .attempt(let attempt):
      switch attempt.end {
      case .released(let released): return [.died, .retrying, .parked].contains(released.reason)
      case .tookOver: return true
      case .settled(let outcome, _): return outcome == .rejected
      default: return false
      }
    default: return false
    }
  }

  /// The time from the creation to its start.
  func startWords(in trace: WorkTrace, isASCII: Bool) -> String {
    (start - trace.created.time).longWords(isASCII: isASCII)
  }

  /// Its length; empty for a moment.
  func lengthWords(in trace: WorkTrace, isASCII: Bool) -> String {
    isMoment ? "" : ((end ?? trace.end) - start).longWords(isASCII: isASCII)
  }

  /// Facts about it; `nil` if its name says everything.
  var details: String? {
    let words: [String] =
      switch content {
      case .queued(let trigger): trigger.words
      case .deleted: []
      case .attempt(let attempt): words(of: attempt)
      case .step(let step): step.words
      case .pause(_, _, let time): ["until \(time)"]
      case .idle(let released): released.idleWords
      case .cancelRequest(let reason): ["reason \(reason.clipped.quoted)"]
      case .amendment(let amended): amended.words
      case .settlement(let outcome, let error):
        [outcome == .timedOut ? "timed out" : "\(outcome)"] + (error.map { [$0.words] } ?? [])
      case .abandonment(let reason): ["reason \(reason.clipped.quoted)"]
      case .unreadable(let kind, let isDamaged): ["\(kind), \(isDamaged ? "damaged" : "unknown")"]
      @unknown default: []
      }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }

  private func words(of attempt: WorkTrace.Attempt) -> [String] {
    var words = ["session \(session.entityID.shortText)"]
    if attempt.tookOver { words.append("takes over") }
    switch attempt.end {
    case nil: words.append("not ended")
    case .released(let released):
      words.append(released.reasonWords)
      if released.failureCount > 1 { words.append("\(released.failureCount) failures") }
      if let error = released.error { words.append(error.words) }
    case .tookOver(let other):
      words.append("taken over by session \(other.entityID.shortText)")
    case .settled(let outcome, let byCode):
      let word = outcome == .timedOut ? "timed out" : "\(outcome)"
      words.append(byCode ? word : "\(word) from outside")
    case .abandoned: words.append("abandoned from outside")
    @unknown default: break
    }
    return words
  }
}

extension WorkTrace.Step {
  fileprivate var words: [String] {
    var words: [String] = []
    switch outcome {
    case .value(_, let bytes?) where bytes.isEmpty: break
    case .value(_, let bytes?): words.append("value \(ContentText(bytes).words)")
    case .value: words.append("large value")
    case .failure(let error): words += ["failed"] + (error.map { [$0.words] } ?? [])
    case .cancelled(let reason): words.append("cancelled \(reason.clipped.quoted)")
    @unknown default: break
    }
    if failureCount > 0 {
      words.append(failureCount == 1 ? "after 1 failure" : "after \(failureCount) failures")
    }
    return words
  }
}

extension WorkReleased {
  /// The reason for people.
  var reasonWords: String { reason == .notRunnable ? "not runnable" : "\(reason)" }

  /// What the work waits for after the release.
  fileprivate var idleWords: [String] {
    var words: [String] = []
    if reason == .retrying, let retryTime { words.append("until \(retryTime)") }
    if let condition { words += WorkTrigger.firstOf(condition).words }
    for failures in stepFailures {
      let count = failures.count == 1 ? "once" : "\(failures.count) times"
      words.append("step \("\(failures.step)".quoted) failed \(count)")
    }
    return words.isEmpty ? [reasonWords] : words
  }
}

extension WorkAmended {
  fileprivate var words: [String] {
    var words = parking == .unchanged ? [] : ["\(parking)"]
    if let trigger { words += trigger == .now ? ["due at once"] : trigger.words }
    if options != nil { words.append("other options") }
    if arguments != nil { words.append("other arguments") }
    return words
  }
}

extension StoredError {
  fileprivate var words: String { description.clipped.escapingControlCharacters }
}
