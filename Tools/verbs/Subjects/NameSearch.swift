import LedgerRuntime

/// The search for the entity that a text names.
struct NameSearch {
  private static let maximumCandidateCount = 5

  private let text: String
  private let part: IDPart?
  private let replayed: ReplayedLedger
  private let progress: () -> Void

  init(_ name: EntityName, in replayed: ReplayedLedger, _ progress: @escaping () -> Void) {
    text = name.text
    part = IDPart(text)
    self.replayed = replayed
    self.progress = progress
  }

  /// The only entity of the first group that has any with that name.
  ///
  /// - Throws: ``Status/Failure`` if there is none or there are several; `LedgerError` if its
  ///   record was removed.
  func find(among groups: [Set<LedgerSubject.Kind>]) throws -> Subject {
    for kinds in groups {
      let candidates = try candidates(of: kinds)
      guard let first = candidates.first else { continue }
      guard candidates.count == 1 else { throw try ambiguity(candidates) }
      if let found = try Subject(first, in: replayed) { return found }
    }
    let kinds = groups.reduce(into: Set()) { $0.formUnion($1) }
    if kinds.contains(.handler), let handler = try handlerWithCall() { return handler }
    throw try reasonForNone(kinds)
  }

  // MARK: Candidates

  private func candidates(of kinds: Set<LedgerSubject.Kind>) throws -> [LedgerSubject] {
    var found: [LedgerSubject] = []
    if let part {
      let limit = Self.maximumCandidateCount + 1
      if let whole = part.whole {
        found = try replayed.subjects(
          from: whole, through: whole, of: kinds, limit: limit, progress: progress)
      } else {
        found = try replayed.subjects(
          from: EntityID(high: 0, low: 0), through: EntityID(high: .max, low: .max), of: kinds,
          limit: limit, where: part.matches, progress: progress)
      }
    }
    for subject in keyed where kinds.contains(subject.kind) && !found.contains(subject) {
      if try Subject(subject, in: replayed) != nil { found.append(subject) }
    }
    return found
  }

  /// What has the text as its key, if there is any.
  private var keyed: [LedgerSubject] {
    var subjects: [LedgerSubject] = []
    if let key = try? PromiseKey(text) { subjects.append(.promise(key.promiseID)) }
    if let key = try? HandlerKey(text) { subjects.append(.handler(key.handlerID)) }
    return subjects
  }

  /// The handler with an unfinished call of that id: the lists show ids of calls, too.
  private func handlerWithCall() throws -> Subject? {
    guard let part else { return nil }
    var found: [HandlerRecord] = []
    try replayed.forEachHandler(progress: progress) { handler in
      if handler.openCalls.contains(where: { part.matches($0.id.entityID) }) {
        found.append(handler)
      }
      return found.count <= Self.maximumCandidateCount
    }
    guard found.count > 1 else { return found.first.map(Subject.handler) }
    throw try ambiguity(found.map { .handler($0.id) })
  }

  // MARK: Failures

  private func ambiguity(_ candidates: [LedgerSubject]) throws -> Status.Failure {
    let list = try words(candidates)
    let more = candidates.count > Self.maximumCandidateCount ? ", and more" : ""
    return .ambiguity(
      "Several have the name \(text.clipped.plainOrQuoted): \(list)\(more). Give more of the id, or a whole key with --key or --handler-key."
    )
  }

  private func words(_ candidates: [LedgerSubject]) throws -> String {
    try candidates.prefix(Self.maximumCandidateCount).map { candidate in
      let name = try Subject(candidate, in: replayed)?.nameText
      return name.map { "\(candidate.words) (\($0))" } ?? candidate.words
    }.joined(separator: ", ")
  }

  private func reasonForNone(_ kinds: Set<LedgerSubject.Kind>) throws -> any Error {
    if let id = part?.whole { return try replayed.reason(forMissing: id) }
    for subject in keyed where kinds.contains(subject.kind) {
      let reason: LedgerError? =
        switch subject {
        case .promise(let id): try replayed.reason(forMissing: id)
        case .handler(let id): try replayed.reason(forMissing: id)
        case .session: nil
        }
      if let reason, reason.code == .recordRemoved { return reason }
    }
    let names = LedgerSubject.Kind.allCases.filter(kinds.contains).map(\.name)
    let list = [names.dropLast().joined(separator: ", "), names.last ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " or ")
    var message =
      "There is no \(list) named \(text.clipped.plainOrQuoted): none has it as its key, or as the beginning or the end of its id."
    if part == nil { message += " A part of an id has at least 4 hexadecimal digits." }
    let similar = try similar(kinds)
    message +=
      similar.isEmpty
      ? " To see why a removed record is missing, give its whole id or its key."
      : " Similar: \(try words(similar))."
    return Status.Failure(.notFound, message)
  }

  /// Open entities whose key or label contains the text.
  private func similar(_ kinds: Set<LedgerSubject.Kind>) throws -> [LedgerSubject] {
    var found: [LedgerSubject] = []
    let wanted = text.clipped.lowercased()
    func take(_ subject: LedgerSubject, _ texts: String?...) -> Bool {
      if texts.contains(where: { $0?.lowercased().contains(wanted) ?? false }) {
        found.append(subject)
      }
      return found.count < Self.maximumCandidateCount
    }
    if kinds.contains(.promise) {
      try replayed.forEachPromise(progress: progress) { take(.promise($0.id), $0.key, $0.label) }
      guard found.count < Self.maximumCandidateCount else { return found }
      try replayed.forEachWork(at: SystemLedgerClock().now(), progress: progress) { record, _ in
        take(.promise(record.id), record.key, record.label)
      }
      guard found.count < Self.maximumCandidateCount else { return found }
      try replayed.forEachJointOrOutcome(progress: progress) {
        take(.promise($0.id), $0.key, $0.label)
      }
    }
    if kinds.contains(.handler), found.count < Self.maximumCandidateCount {
      try replayed.forEachHandler(progress: progress) { take(.handler($0.id), $0.key, $0.label) }
    }
    return found
  }
}
