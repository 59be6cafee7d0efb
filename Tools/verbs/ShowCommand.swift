import ArgumentParser
import LedgerRuntime

/// `promise-ledger show`: the life of one promise, handler or session.
struct ShowCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Prints the life of one promise or handler: its events, their causes and effects.",
    discussion: """
      A session can be shown, too, by an id that no promise or handler has. The column relation \
      marks the events of the subject itself as own, the events that led to them as cause, and \
      the events that they led to as effect. In JSON, the first object is the record of the \
      subject, and its events follow. Events that a compaction deleted are missing. If a \
      compaction removed the record, the exit code is 3.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var subject: SubjectOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let (id, report) = try inspector.withSubject(subject.subjectName(), sink) { replayed, subject in
      (subject.id, try subject.report(in: replayed))
    }
    let life = try SubjectLife(of: id, in: inspector, sink)
    if output.format == .table {
      try report.write(as: .table, to: sink)
      try sink.write("\n")
    }
    let columns = [Column("relation", width: 8)] + Record.eventColumns
    var printer = try RecordPrinter(output.format, columns, to: sink)
    if output.format != .table { try printer.print(Record(cells: [], json: report.json)) }
    var findings = Findings()
    try printer.printAll { printer in
      try life.forEachEvent(in: inspector, sink) { event, relation in
        let details = EventDetails(of: event, in: inspector)
        findings.count(details.problem)
        try printer.print(Record(event, details).adding(relation))
      }
    }
    try findings.throwIfAny()
  }
}

extension Record {
  fileprivate func adding(_ relation: SubjectLife.Relation) -> Record {
    guard case .object(var members) = json else { return self }
    members["relation"] = .string(relation.rawValue)
    return Record(cells: [relation.rawValue] + cells, json: .object(members))
  }
}
