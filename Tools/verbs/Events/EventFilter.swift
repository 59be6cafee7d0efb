import LedgerRuntime

/// The events that are wanted.
struct EventFilter {
  /// The wanted kinds; none means all.
  var kinds: Set<EventKind> = []
  var subject: EntityID?
  var promise: EntityID?
  var handler: EntityID?
  var session: EntityID?
  var since: Timestamp?
  var until: Timestamp?

  var wantsEverything: Bool {
    kinds.isEmpty && subject == nil && promise == nil && handler == nil && session == nil
      && since == nil && until == nil
  }

  func wants(_ event: LedgerEvent) -> Bool {
    if !kinds.isEmpty, !kinds.contains(event.kind) { return false }
    if let since, event.time < since { return false }
    if let until, event.time > until { return false }
    if let subject, event.subject != subject { return false }
    if let promise, event.subject != promise { return false }
    if let handler, event.subject != handler { return false }
    if let session, event.session.entityID != session, event.subject != session { return false }
    return true
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
