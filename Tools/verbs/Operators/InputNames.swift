import LedgerRuntime

/// The names on standard input, one a line.
struct InputNames {
  private let lines: [String]
  private let preferred: LedgerSubject.Kind

  /// - Parameter preferred: The kind that a name means if it fits several.
  init(of bytes: [UInt8], preferring preferred: LedgerSubject.Kind) {
    // A line of Windows ends in a carriage return.
    lines = String(decoding: bytes, as: UTF8.self)
      .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
    self.preferred = preferred
  }

  /// What the names stand for, each once.
  ///
  /// - Throws: ``Status/Failure`` with the line of a name that nothing or several things have: then nothing is
  ///   changed.
  func subjects(in replayed: ReplayedLedger, _ progress: @escaping () -> Void) throws -> [Subject] {
    var known: Set<EntityID> = []
    var subjects: [Subject] = []
    for (number, line) in lines.enumerated() where !line.isEmpty {
      if number.isMultiple(of: 1_000) { progress() }
      let subject: Subject
      do {
        subject = try find(line, in: replayed, progress)
      } catch {
        guard let failure = Status.Failure(error), failure.status == .notFound else { throw error }
        throw Status.Failure(
          .notFound, "Line \(number + 1) of standard input: \(failure.message ?? "")",
          isAmbiguity: failure.isAmbiguity)
      }
      if known.insert(subject.id).inserted { subjects.append(subject) }
    }
    return subjects
  }

  private func find(
    _ line: String, in replayed: ReplayedLedger, _ progress: @escaping () -> Void
  ) throws -> Subject {
    // A search among all ids would take too long for many lines.
    if let id = IDPart(line)?.whole {
      let promise = LedgerSubject.promise(PromiseID(entityID: id))
      let handler = LedgerSubject.handler(HandlerID(entityID: id))
      if let found = try Subject(promise, in: replayed) ?? Subject(handler, in: replayed) {
        return found
      }
    }
    return try SubjectName.text(EntityName(line), preferring: preferred)
      .find(in: replayed, progress: progress)
  }
}
