import LedgerRuntime

/// One thing in a state: what it is, and how it is.
struct StateEntry {
  /// The words for the sorts of things; the names are those in JSON.
  enum Sort: String, CaseIterable {
    case promise, joint, work, handler, session

    init(_ record: PromiseRecord) {
      self = record.work != nil ? .work : record.joint != nil ? .joint : .promise
    }
  }

  static let columns = [
    Column("what", width: 7), .name, .id, Column("state", width: 11), .time("since"),
    Column("details"),
  ]

  let sort: Sort
  let name: String
  let id: EntityID
  let state: String
  let since: Timestamp
  let details: String
  let json: JSONValue

  /// It in a list.
  var record: Record {
    var members: [String: JSONValue] = [:]
    if case .object(let known) = json { members = known }
    members["entity"] = .string(sort.rawValue)
    return Record(
      cells: [sort.rawValue, name, "\(id)", state, "\(since)", details], json: .object(members))
  }
}

extension StateEntry {
  /// A promise that no code settles, or that is settled.
  ///
  /// - Parameter record: How the list of promises shows it.
  init(_ promise: PromiseRecord, _ record: Record) {
    self.init(
      sort: Sort(promise), name: promise.nameText ?? "", id: promise.id.entityID,
      state: promise.statusWord, since: promise.stateTime, details: record.cells.last ?? "",
      json: record.json)
  }

  init(work promise: PromiseRecord, _ standing: WorkStanding) {
    let record = Record(work: promise, standing)
    let kind = (promise.work?.kind ?? "").escapingControlCharacters
    let details = [kind, record.cells.last ?? ""].filter { !$0.isEmpty }
    self.init(
      sort: .work, name: promise.nameText ?? "", id: promise.id.entityID,
      state: standing.state.rawValue, since: standing.since,
      details: details.joined(separator: ", "), json: record.json)
  }

  init(_ handler: HandlerRecord, _ runners: [SessionID: Liveness]) {
    let record = Record(handler, runners)
    let details = [handler.kind.escapingControlCharacters, record.cells.last ?? ""]
    self.init(
      sort: .handler, name: handler.nameText ?? "", id: handler.id.entityID,
      state: "\(handler.status)", since: handler.stateTime,
      details: details.joined(separator: ", "), json: record.json)
  }

  init(_ session: SessionRecord, _ liveness: Liveness, calls: Int, work: Int) {
    let record = Record(session, liveness, calls: calls, work: work)
    let details = ["\(session.opened.role), process \(session.processID)", record.cells.last ?? ""]
    self.init(
      sort: .session, name: session.opened.instance.plainOrQuoted, id: session.id.entityID,
      state: liveness.rawValue, since: session.lastTime,
      details: details.joined(separator: ", "), json: record.json)
  }
}

extension PromiseRecord {
  /// Its status, or its outcome if it has one that was neither consumed nor given up.
  var statusWord: String {
    guard status == .resolved, let outcomeKind else { return "\(status)" }
    return outcomeKind == .timedOut ? "timed out" : "\(outcomeKind)"
  }
}
