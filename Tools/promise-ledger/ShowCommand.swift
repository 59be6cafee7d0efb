import ArgumentParser
import PromiseLedger

/// `promise-ledger show`: the life of one promise.
struct ShowCommand: ReadingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the life of one promise: its events, their causes and their effects.",
    discussion: """
      In the column relation, an event of the promise itself is marked own; cause is an event that \
      led to one of these, effect one that one of these led to.
      """)

  @OptionGroup var reading: ReadingOptions

  @Argument(help: "The promise's id, or a beginning of it that no other promise shares.")
  var id: IDPrefix?

  @Option(help: "The promise's key, instead of its id.")
  var key: String?

  @OptionGroup var output: FormatOptions

  func validate() throws {
    guard (id == nil) != (key == nil) else {
      throw ValidationError("Give the promise's id or its key.")
    }
    if let key { _ = try PromiseKey(checking: key) }
  }

  func read(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let life = try PromiseLife(of: try find(in: inspector, sink), in: inspector, sink)
    guard let record = life.record else {
      throw Status.Failure(.notFound, "There is no promise \(life.id) in this ledger.")
    }
    let report = PromiseReport(record)
    switch output.format {
    case .table:
      try report.write(as: .table, to: sink)
      try sink.write("\n")
    case .json, .jsonl:
      break
    }
    let columns = [Column("relation", width: 8)] + Record.eventColumns
    var printer = try RecordPrinter(output.format, columns, to: sink)
    if output.format != .table { try printer.print(Record(cells: [], json: report.json)) }
    var findings = Findings()
    try life.forEachEvent(in: inspector, sink) { event, relation in
      let details = EventDetails(of: event, in: inspector)
      findings.count(details.problem)
      try printer.print(Record(event, details).adding(relation))
    }
    try printer.end()
    try findings.throwIfAny()
  }

  /// The promise that is meant.
  private func find(in inspector: LedgerInspector, _ sink: any TextSink) throws -> PromiseID {
    if let key { return try PromiseKey(checking: key).promiseID }
    guard let prefix = id else { throw Status.Failure(.usage) }
    let replayed = try inspector.replay { _ in try? sink.alive() }
    let candidates = try replayed.subjects(
      from: prefix.lowest, through: prefix.highest, limit: Self.maximumCandidateCount + 1
    ).compactMap { subject in
      if case .promise(let id) = subject { id } else { nil }
    }
    guard let first = candidates.first else {
      throw Status.Failure(.notFound, "There is no promise whose id begins with \(prefix.text).")
    }
    guard candidates.count == 1 else {
      let some = candidates.prefix(Self.maximumCandidateCount)
      let list = some.map(\.description).joined(separator: ", ")
      let more = candidates.count > some.count ? ", and more" : ""
      throw Status.Failure(
        .usage, "The ids of several promises begin with \(prefix.text): \(list)\(more).")
    }
    return first
  }

  private static let maximumCandidateCount = 5
}

extension Record {
  fileprivate func adding(_ relation: PromiseLife.Relation) -> Record {
    guard case .object(var members) = json else { return self }
    members["relation"] = .string(relation.rawValue)
    return Record(cells: [relation.rawValue] + cells, json: .object(members))
  }
}
