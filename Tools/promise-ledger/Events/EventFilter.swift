import PromiseLedger

/// Which events are wanted.
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
    if let session, !session.matches(event.session.entityID), !session.matches(event.subject) {
      return false
    }
    return true
  }
}

extension EventKind {
  /// Whether the subject is a promise: the numbers that the file format keeps for them.
  var isAboutPromise: Bool { (32..<48).contains(rawValue) }
  var isAboutHandler: Bool { (48..<64).contains(rawValue) }
}
