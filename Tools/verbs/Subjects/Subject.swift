import LedgerRuntime

/// A promise, handler or session with all facts that a ledger has about it.
enum Subject {
  case promise(PromiseRecord)
  case handler(HandlerRecord)
  case session(SessionRecord)

  /// `nil` if there is no such subject.
  init?(_ subject: LedgerSubject, in replayed: ReplayedLedger) throws(LedgerError) {
    switch subject {
    case .promise(let id):
      guard let record = try replayed.record(of: id) else { return nil }
      self = .promise(record)
    case .handler(let id):
      guard let record = try replayed.record(of: id) else { return nil }
      self = .handler(record)
    case .session(let id):
      guard let record = try replayed.record(of: id) else { return nil }
      self = .session(record)
    }
  }

  var id: EntityID {
    switch self {
    case .promise(let record): record.id.entityID
    case .handler(let record): record.id.entityID
    case .session(let record): record.id.entityID
    }
  }

  /// The record of a promise.
  ///
  /// - Throws: ``Status/Failure`` for anything else.
  func promise() throws -> PromiseRecord {
    switch self {
    case .promise(let record): return record
    case .handler: throw Status.Failure(.usage, "\(id) is a handler. Name a promise.")
    case .session: throw Status.Failure(.usage, "\(id) is a session. Name a promise.")
    }
  }

  /// - Throws: ``Status/Failure`` for a session: its relations are with nearly everything.
  func requireRelations() throws {
    guard case .session = self else { return }
    throw Status.Failure(.usage, "\(id) is a session. Name a promise or a handler.")
  }

  /// All facts about it, and whether the sessions that it names go on.
  func report(in replayed: ReplayedLedger) throws(LedgerError) -> Report {
    var report =
      switch self {
      case .promise(let record): Report(record)
      case .handler(let record):
        Report(record, try SessionLiveness(replayed).runners(of: record))
      case .session(let record): Report(record)
      }
    try report.addSessions(of: self, in: replayed)
    return report
  }
}
