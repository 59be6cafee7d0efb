import PromiseLedger

/// The events that are wanted.
struct EventFilter {
  /// The wanted kinds; none means all.
  var kinds: Set<EventKind> = []
  var promise: IDPrefix?
  var handler: IDPrefix?
  var session: IDPrefix?
  var since: Timestamp?
  var until: Timestamp?

  func wants(_ event: LedgerEvent) -> Bool {
    if !kinds.isEmpty, !kinds.contains(event.kind) { return false }
    if let since, event.time < since { return false }
    if let until, event.time > until { return false }
    if let promise, !event.kind.isAboutPromise || !promise.matches(event.subject) { return false }
    if let handler, !event.kind.isAboutHandler || !handler.matches(event.subject) { return false }
    if let session, !isOf(session, event) { return false }
    return true
  }

  /// Whether an event is about one of the sessions or was written by one. Ids of one minute begin
  /// alike, so only a session may match as a subject.
  private func isOf(_ session: IDPrefix, _ event: LedgerEvent) -> Bool {
    session.matches(event.session.entityID)
      || (event.kind.isAboutSession && session.matches(event.subject))
  }
}

extension EventKind {
  /// Whether the subject is a session. The file format reserves these numbers for sessions.
  var isAboutSession: Bool { (16..<32).contains(rawValue) }
  /// Whether the subject is a promise.
  var isAboutPromise: Bool { (32..<48).contains(rawValue) }
  /// Whether the subject is a handler.
  var isAboutHandler: Bool { (48..<64).contains(rawValue) }
}
