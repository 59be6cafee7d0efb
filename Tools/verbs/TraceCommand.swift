import ArgumentParser
import LedgerRuntime

/// `promise-ledger trace`: the history of one work as a waterfall.
struct TraceCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "trace",
    abstract: "Prints the history of work as a waterfall of its attempts, steps and waits.",
    discussion: """
      Each line has the time since the creation of the promise, the length, and a bar. Lines are \
      in the order of their starts; a time before that of an earlier event counts as that time, \
      because clocks jump. A time without an attempt that is longer than a tenth of the time with \
      one is drawn as a mark with its length. Events that a compaction deleted are missing; a note \
      tells what the record still has of them. In JSON, the first object is the record of the \
      promise, and the spans follow.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions

  @Option(
    help: ArgumentHelp(
      "The width of the lines; by default that of the terminal, or 80.", valueName: "columns"))
  var width: Int?

  @OptionGroup var drawing: DrawingOptions
  @OptionGroup var output: FormatOptions

  func validate() throws {
    if let width, !(40...1_000).contains(width) {
      throw ValidationError("The width must be between 40 and 1000.")
    }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let now = SystemLedgerClock().now()
    let (record, trace) = try inspector.withSubject(promise.subjectName(), sink) {
      replayed, subject in
      let record = try subject.promise()
      return (record, try replayed.trace(of: record.id, at: now) { try? sink.alive() })
    }
    guard let trace else {
      throw Status.Failure(
        .usage, "Promise \(record.id) is not settled by code. Show its events with show.")
    }
    if let note = trace.deletionNote(record) { try sink.note(note) }
    switch output.format {
    case .table:
      try Report(trace, of: record).write(as: .table, to: sink)
      try sink.write("\n")
      let waterfall = Waterfall(
        trace, width: width ?? max(sink.width, 40), isASCII: drawing.ascii)
      for line in waterfall.lines { try sink.write(line + "\n") }
      try sink.flush()
    case .json, .jsonl:
      var printer = try RecordPrinter(output.format, [], to: sink)
      try printer.printAll { printer in
        try printer.print(Record(cells: [], json: Report(record).json))
        for span in trace.spans {
          try printer.print(Record(cells: [], json: span.json(since: trace.created.time)))
        }
      }
    }
    try trace.findings.throwIfAny()
  }
}

extension WorkTrace {
  /// The note about deleted events.
  fileprivate func deletionNote(_ record: PromiseRecord) -> String? {
    guard let eventsDeletedThrough else { return nil }
    let attempts = attemptCount == 1 ? "1 attempt" : "\(attemptCount) attempts"
    var known = attempts
    if let steps = record.work?.steps, !steps.isEmpty {
      known += " and these finished steps: \(steps.map(\.quoted).joined(separator: " "))"
    }
    return "Events up to position \(eventsDeletedThrough) were deleted. The record has \(known)."
  }

  /// The events that cannot be read.
  fileprivate var findings: Findings {
    var findings = Findings()
    for span in spans {
      guard case .unreadable(_, let isDamaged) = span.content else { continue }
      findings.count(isDamaged ? .damaged : .unknown)
    }
    return findings
  }
}

extension Report {
  /// The facts about work that stand above its waterfall.
  fileprivate init(_ trace: WorkTrace, of record: PromiseRecord) {
    self.init()
    add("promise", "id", "\(record.id)")
    add("state", "state", "\(record.status)")
    if let key = record.key { add("key", "key", key) }
    if let label = record.label { add("label", "label", label) }
    add("kind", "handlerKind", trace.kind)
    add("created", "created", "\(trace.created.time)")
  }
}
