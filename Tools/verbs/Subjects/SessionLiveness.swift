import LedgerRuntime

/// Whether a session goes on: the log does not tell whether its process is there.
enum Liveness: String {
  /// Its process is there, and has the ledger open.
  case alive
  /// Its process released the ledger, and may come back.
  case frozen
  /// The log shows it as open, and its process is gone.
  case dead
  /// The log shows that it ended.
  case ended

  init(_ session: SessionRecord, _ presence: SessionRecord.Presence) {
    if case .ended = session.status {
      self = .ended
      return
    }
    switch presence {
    case .alive: self = .alive
    case .frozen: self = .frozen
    default: self = .dead
    }
  }

  /// The same for people.
  var words: String { self == .dead ? "dead: its process is gone" : rawValue }
}

/// Tells whether sessions go on.
struct SessionLiveness {
  private let replayed: ReplayedLedger
  private let presences: SessionPresences

  init(_ replayed: ReplayedLedger) throws(LedgerError) {
    self.replayed = replayed
    presences = try replayed.sessionPresences()
  }

  /// A session without a record counts as dead.
  subscript(id: SessionID) -> Liveness {
    get throws(LedgerError) {
      switch presences[id] {
      case .alive: return .alive
      case .frozen: return .frozen
      default: return try replayed.record(of: id).map { Liveness($0, .gone) } ?? .dead
      }
    }
  }

  /// The liveness of each session that runs a call of a handler.
  func runners(of handler: HandlerRecord) throws(LedgerError) -> [SessionID: Liveness] {
    var found: [SessionID: Liveness] = [:]
    for call in handler.openCalls where call.release == nil {
      found[call.newestStart.session] = try self[call.newestStart.session]
    }
    return found
  }
}

extension Report {
  /// Adds whether the sessions that a subject names go on.
  mutating func addSessions(
    of subject: Subject, in replayed: ReplayedLedger
  ) throws(LedgerError) {
    let liveness = try SessionLiveness(replayed)
    var members: [JSONValue] = []
    for id in subject.sessions {
      let state = try liveness[id]
      var words = "\(id) is \(state.words)"
      var session: [String: JSONValue] = [
        "id": .string("\(id)"), "liveness": .string(state.rawValue),
      ]
      if let record = try replayed.record(of: id) {
        words += " (\(record.opened.role) \(record.opened.instance.quoted)"
        if state != .ended { words += ", process \(record.processID)" }
        words += ")"
        session["role"] = .string("\(record.opened.role)")
        session["instance"] = .string(record.opened.instance)
        session["processID"] = .integer(Int64(record.processID))
      }
      addLine("session", words)
      members.append(.object(session))
    }
    if !members.isEmpty { add("sessions", .array(members)) }
  }
}

extension Subject {
  /// The sessions that created it or run its code.
  fileprivate var sessions: [SessionID] {
    var sessions: [SessionID] = []
    switch self {
    case .promise(let record):
      sessions.append(record.created.session)
      if case .running(let session)? = record.work?.state { sessions.append(session) }
    case .handler(let record):
      sessions.append(record.created.session)
      sessions += record.openCalls.filter { $0.release == nil }.map(\.newestStart.session)
    case .session(let record):
      // Its own facts tell that it ended.
      if case .ended = record.status { break }
      sessions.append(record.id)
    }
    return sessions.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}
