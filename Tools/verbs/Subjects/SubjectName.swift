import LedgerRuntime

/// The name of a promise, handler or session on the command line.
enum SubjectName {
  /// An id, a part of one, or a key. An entity of the preferred kind hides others with that name.
  case text(EntityName, preferring: LedgerSubject.Kind? = nil)
  case promiseKey(PromiseKey)
  case handlerKey(HandlerKey)

  /// The only subject with that name.
  ///
  /// - Parameter progress: Called now and then.
  /// - Throws: ``Status/Failure`` if there is none or there are several; `LedgerError` if its
  ///   record was removed.
  func find(in replayed: ReplayedLedger, progress: @escaping () -> Void) throws -> Subject {
    switch self {
    case .promiseKey(let key):
      guard let found = try Subject(.promise(key.promiseID), in: replayed) else {
        throw try replayed.reason(forMissing: key.promiseID)
      }
      return found
    case .handlerKey(let key):
      guard let found = try Subject(.handler(key.handlerID), in: replayed) else {
        throw try replayed.reason(forMissing: key.handlerID)
      }
      return found
    case .text(let name, let preferred):
      // Sessions come after the rest: they are seldom asked for.
      var groups: [Set<LedgerSubject.Kind>] = [[.promise, .handler], [.session]]
      if let preferred { groups.insert([preferred], at: 0) }
      return try NameSearch(name, in: replayed, progress).find(among: groups)
    }
  }
}

extension LedgerSubject {
  var kind: LedgerSubject.Kind {
    switch self {
    case .promise: .promise
    case .handler: .handler
    case .session: .session
    }
  }

  var entityID: EntityID {
    switch self {
    case .promise(let id): id.entityID
    case .handler(let id): id.entityID
    case .session(let id): id.entityID
    }
  }

  var words: String { "\(kind.name) \(entityID)" }
}
