import PromiseLedger

/// The name of a promise, handler or session on the command line.
enum SubjectName {
  case id(IDPrefix)
  case promiseKey(PromiseKey)
  case handlerKey(HandlerKey)

  private static let maximumCandidateCount = 5

  /// The only subject with that name.
  ///
  /// - Parameter progress: Called now and then.
  /// - Throws: ``Status/Failure`` if there is none or there are several; `LedgerError` if its
  ///   record was removed.
  func find(in replayed: ReplayedLedger, progress: () -> Void) throws -> Subject {
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
    case .id(let prefix):
      // Sessions come after the rest, so that they do not make a prefix ambiguous.
      for kinds in [[.promise, .handler], [.session]] as [Set<LedgerSubject.Kind>] {
        if let found = try Self.find(prefix, of: kinds, in: replayed, progress) { return found }
      }
      if let id = EntityID(prefix.text) { throw try replayed.reason(forMissing: id) }
      throw Status.Failure(
        .notFound,
        "There is no promise, handler or session whose id begins with \(prefix.text). To see why a removed record is missing, give its whole id or its key."
      )
    }
  }

  private static func find(
    _ prefix: IDPrefix, of kinds: Set<LedgerSubject.Kind>, in replayed: ReplayedLedger,
    _ progress: () -> Void
  ) throws -> Subject? {
    let candidates = try replayed.subjects(
      from: prefix.lowest, through: prefix.highest, of: kinds, limit: maximumCandidateCount + 1,
      progress: progress)
    guard let first = candidates.first else { return nil }
    guard candidates.count == 1 else {
      let some = candidates.prefix(maximumCandidateCount)
      let list = some.map(\.words).joined(separator: ", ")
      let more = candidates.count > some.count ? ", and more" : ""
      throw Status.Failure(
        .usage, "Several ids begin with \(prefix.text): \(list)\(more). Give more of the id.")
    }
    return try Subject(first, in: replayed)
  }
}

extension LedgerSubject {
  fileprivate var words: String {
    switch self {
    case .promise(let id): "promise \(id)"
    case .handler(let id): "handler \(id)"
    case .session(let id): "session \(id)"
    }
  }
}
