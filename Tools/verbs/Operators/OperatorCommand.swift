import ArgumentParser
import LedgerRuntime

/// A command that changes promises or handlers, in a session with the role operator. Without `--apply`, it
/// prints what it would change.
protocol OperatorCommand: LedgerCommand {
  associatedtype Selection: TargetSelection

  var target: TargetOptions { get }
  var selection: Selection { get }
  var applying: ApplyOptions { get }
  var output: FormatOptions { get }

  /// What the command does to a target, as a verb.
  static var verb: String { get }
  /// The kind that a name means if it fits several.
  static var preferredKind: LedgerSubject.Kind { get }

  /// The reason why a target cannot be changed, as far as its record tells; `nil` if there is none.
  func refusal(of target: Target) -> OperatorAnswer?

  /// The change, to be made in a session.
  ///
  /// - Parameter target: What to change, as it was found.
  /// - Throws: ``Status/Failure`` if the command cannot change it.
  func change(of target: Target) throws -> OperatorChange
}

extension OperatorCommand {
  package var changesLedger: Bool { applying.apply }
}

/// A change by an operator.
typealias OperatorChange = @Sendable (Ledger) async throws -> OperatorAnswer

extension OperatorCommand {
  static var preferredKind: LedgerSubject.Kind { .promise }

  var readsInput: Bool { target.isInput }

  /// Checks what every such command requires.
  func validateTarget() throws {
    try reading.checkForWriting()
    if let reason = applying.reason, reason.utf8.count > 2_048 {
      throw ValidationError("The reason has more than 2048 bytes.")
    }
    let isNamed = try target.subjectName(preferring: Self.preferredKind) != nil
    if isNamed, selection.limit.count != nil {
      throw ValidationError("The limit is for options that select many: leave out --limit.")
    }
    guard isNamed != !selection.isEmpty else {
      throw ValidationError(
        isNamed
          ? "Give a name, or options that select many, not both."
          : "Give the id or key of what to change, or options that select it.")
    }
  }

  func perform(_ sink: any TextSink) throws {
    // The inspector does not create a missing ledger.
    let inspector = try reading.open(toWrite: true)
    guard let name = try target.subjectName(preferring: Self.preferredKind), !target.isInput else {
      return try performOnMany(inspector, sink)
    }
    let subject = try inspector.subject(name, sink)
    inspector.close()
    try performOnOne(Target(subject), sink)
  }

  // MARK: One

  private func performOnOne(_ found: Target, _ sink: any TextSink) throws {
    let change = try change(of: found)
    var report = Report()
    guard applying.apply else {
      if case .refused(let status, let message)? = refusal(of: found) {
        throw Status.Failure(status, message)
      }
      report.add("would", "would", Self.verb)
      found.add(to: &report)
      try report.write(as: output.format, to: sink)
      return try sink.note("Nothing was changed. To \(Self.verb), add --apply.")
    }
    switch try run(change, sink) {
    case .refused(let status, let message): throw Status.Failure(status, message)
    case .done(let words, let changed):
      report.add("done", "done", words)
      changed.add(to: &report)
      try report.write(as: output.format, to: sink)
    }
  }

  /// Makes a change in a session of its own.
  private func run(
    _ change: @escaping OperatorChange, _ sink: any TextSink
  ) throws -> OperatorAnswer {
    let work = try BackgroundWork<OperatorAnswer, Never> {
      [reading, reason = applying.reason] _ in
      try await reading.withOperator(reason: reason, change)
    }
    return try work.wait(every: reading.pulseInterval, for: Self.patience, sink.alive) { _ in }
  }

  /// Opening and writing may each have to wait for another writer before that becomes an error.
  private static var patience: Duration { LedgerConfiguration().writerStallTimeout * 2 }

  // MARK: Many

  private func performOnMany(_ inspector: BlockingInspector, _ sink: any TextSink) throws {
    let now = SystemLedgerClock().now()
    var targets: [Target] = []
    try inspector.withNames(sink) { replayed in
      let progress = { () -> Void in try? sink.alive() }
      guard !target.isInput else {
        let names = InputNames(of: sink.input, preferring: Self.preferredKind)
        targets = try names.subjects(in: replayed, progress).map(Target.init)
        return
      }
      guard selection.limit.count != 0 else { return }
      try selection.forEach(in: replayed, at: now, progress: progress) { target in
        targets.append(target)
        return targets.count < selection.limit.count ?? .max
      }
    }
    inspector.close()
    var printer = try RecordPrinter(output.format, Record.answerColumns, to: sink)
    var refusedCount = 0
    try printer.printAll { printer in
      guard applying.apply else {
        for target in targets {
          let refusal = try foreseenRefusal(of: target)
          if refusal != nil { refusedCount += 1 }
          try printer.print(Record(target, would: Self.verb, refusal))
        }
        return
      }
      try runAll(targets, sink) { target, answer in
        if case .refused = answer { refusedCount += 1 }
        try printer.print(Record(target, answer))
      }
    }
    let count = targets.count - refusedCount
    if !applying.apply {
      try sink.note("Nothing was changed. To \(Self.verb) \(count), add --apply.")
    }
    if refusedCount > 0 {
      throw Status.Failure(.findings, "Refused: \(refusedCount) of \(targets.count).")
    }
  }

  /// The reason why a target will be refused, as far as that shows before the change is made.
  private func foreseenRefusal(of target: Target) throws -> OperatorAnswer? {
    do {
      _ = try change(of: target)
    } catch {
      return try OperatorAnswer(refusalBecauseOf: error)
    }
    return refusal(of: target)
  }

  /// Makes all changes in one session, one after another.
  private func runAll(
    _ targets: [Target], _ sink: any TextSink,
    _ body: (Target, OperatorAnswer) throws -> Void
  ) throws {
    guard !targets.isEmpty else { return }
    // A target whose change cannot even be tried is refused like any other.
    let changes = targets.map { target in Result { try change(of: target) } }
    let work = try BackgroundWork<Void, (Target, OperatorAnswer)> {
      [reading, reason = applying.reason] say in
      try await reading.withOperator(reason: reason) { ledger in
        for (target, change) in zip(targets, changes) {
          do {
            say((target, try await change.get()(ledger)))
          } catch {
            say((target, try OperatorAnswer(refusalBecauseOf: error)))
          }
        }
      }
    }
    try work.wait(every: reading.pulseInterval, for: Self.patience, sink.alive) { try body($0, $1) }
  }
}

extension OperatorAnswer {
  /// - Throws: An error that is not about one target alone.
  fileprivate init(refusalBecauseOf error: any Error) throws {
    guard let failure = Status.Failure(error),
      [.usage, .notFound, .findings].contains(failure.status)
    else { throw error }
    self = .refused(failure.status, failure.message ?? "")
  }
}

extension Target {
  /// - Throws: ``Status/Failure`` for a session.
  init(_ subject: Subject) throws {
    switch subject {
    case .promise(let record): self = .promise(record)
    case .handler(let record): self = .handler(record)
    case .session:
      throw Status.Failure(.usage, "\(subject.id) is a session. Name a promise or a handler.")
    }
  }

  /// The record of a promise, for a verb that changes no handlers.
  func promise() throws -> PromiseRecord {
    guard case .promise(let record) = self else {
      throw Status.Failure(.usage, "\(id) is no promise. Give the id of a promise.")
    }
    return record
  }
}

extension Record {
  /// The columns of a list of changes.
  fileprivate static let answerColumns = [
    Column("result", width: 8), .name, .id, Column("details"),
  ]

  fileprivate init(_ target: Target, would verb: String, _ refusal: OperatorAnswer?) {
    if let refusal {
      self.init(target, refusal)
    } else {
      self.init(target, result: "would", verb)
    }
  }

  fileprivate init(_ target: Target, _ answer: OperatorAnswer) {
    switch answer {
    case .done(let words, let changed): self.init(changed, result: "done", words)
    case .refused(_, let message): self.init(target, result: "refused", message)
    }
  }

  private init(_ target: Target, result: String, _ details: String) {
    cells = [
      result, target.nameText ?? "", "\(target.id)", details.escapingControlCharacters,
    ]
    var report = Report()
    target.add(to: &report)
    guard case .object(var members) = report.json else {
      json = .object([:])
      return
    }
    members["result"] = .string(result)
    members["details"] = .string(details)
    json = .object(members)
  }
}
