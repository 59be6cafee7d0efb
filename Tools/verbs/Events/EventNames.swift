import LedgerRuntime

/// The entities that the options of `log` name.
///
/// A record that a compaction removed may still have events, so the log is searched, too.
struct EventNames {
  private static let maximumCandidateCount = 5

  let inspector: BlockingInspector
  let output: any TextSink

  /// The id that a name stands for.
  ///
  /// - Parameter kinds: The kinds that are wanted; `nil` for any, and the ledger itself.
  /// - Throws: ``Status/Failure`` if there is none or there are several.
  func id(of name: EntityName, _ kinds: Set<LedgerSubject.Kind>?) throws -> EntityID {
    let part = IDPart(name.text)
    if kinds == nil, let part, part.matches(inspector.id.entityID) { return inspector.id.entityID }
    let groups = kinds.map { [$0] } ?? [[.promise, .handler], [.session]]
    let matches = { (id: EntityID) -> Bool in part?.matches(id) ?? false }
    return try find(name.text, kinds, matches) { replayed in
      try NameSearch(name, in: replayed) { try? output.alive() }.find(among: groups).id
    }
  }

  /// The id of the promise with a key.
  func id(of key: PromiseKey) throws -> EntityID {
    let id = key.promiseID.entityID
    let matches = { (candidate: EntityID) -> Bool in candidate == id }
    return try find(key.text, [.promise], matches) { replayed in
      try SubjectName.promiseKey(key).find(in: replayed) { try? output.alive() }.id
    }
  }

  private func find(
    _ text: String, _ kinds: Set<LedgerSubject.Kind>?, _ matches: (EntityID) -> Bool,
    _ body: (ReplayedLedger) throws -> EntityID
  ) throws -> EntityID {
    do {
      return try inspector.withNames(output, body)
    } catch {
      guard let failure = Status.Failure(error), failure.status == .notFound,
        !failure.isAmbiguity, let id = try onlyIDInLog(text, kinds, matches)
      else { throw error }
      return id
    }
  }

  /// The only id in the log that fits; `nil` if there is none.
  private func onlyIDInLog(
    _ text: String, _ kinds: Set<LedgerSubject.Kind>?, _ matches: (EntityID) -> Bool
  ) throws -> EntityID? {
    var found: Set<EntityID> = []
    var reader = EventReader(inspector: inspector, output: output)
    reader.notesDeletion = false
    try reader.read { event in
      if kinds?.contains(where: event.kind.isAbout) ?? true, matches(event.subject) {
        found.insert(event.subject)
      }
      if kinds?.contains(.session) ?? true, matches(event.session.entityID) {
        found.insert(event.session.entityID)
      }
      return found.count <= Self.maximumCandidateCount
    }
    guard found.count > 1 else { return found.first }
    let list = found.sorted().prefix(Self.maximumCandidateCount).map(\.description)
    throw Status.Failure.ambiguity(
      "Several ids of events begin or end with \(text.clipped.plainOrQuoted): \(list.joined(separator: ", ")). Give more of the id."
    )
  }
}

extension EventKind {
  /// Whether the subject is of a kind.
  func isAbout(_ kind: LedgerSubject.Kind) -> Bool {
    switch kind {
    case .session: isAboutSession
    case .promise: isAboutPromise
    case .handler: isAboutHandler
    }
  }
}
