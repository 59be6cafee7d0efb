import ArgumentParser
import LedgerRuntime

/// `promise-ledger tree`: a promise and everything below it.
struct TreeCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "tree",
    abstract:
      "Prints a promise and everything below it: children, inputs, and work that awaits it.",
    discussion: """
      Below work are its children: the promises that its code created. Below any promise are its \
      continuations: work that awaits it, or awaited it when it was created. Promises that are \
      settled are shown as long as their records are kept. A promise that has several places has \
      everything below it at one of them; the others say "shown elsewhere". The lines show the \
      last 8 digits of each id; --whole-ids and JSON show the whole id. If --limit leaves out \
      promises, these are of the deepest levels, and a note tells how many they are.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var promise: PromiseOptions

  @Option(help: ArgumentHelp("Print at most this many promises.", valueName: "count"))
  var limit = 1_000

  @Flag(name: .customLong("whole-ids"), help: "Print whole ids.")
  var wholeIDs = false

  @OptionGroup var drawing: DrawingOptions
  @OptionGroup var output: FormatOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("The limit must be at least 1.") }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let now = SystemLedgerClock().now()
    let tree = try inspector.withSubject(promise.subjectName(), sink) { replayed, subject in
      try replayed.tree(of: subject.promise().id, at: now, limit: limit) { try? sink.alive() }
    }
    guard let tree else { return }
    switch output.format {
    case .table:
      let lines = TreeLines(of: tree, hasWholeIDs: wholeIDs, isASCII: drawing.ascii)
      try lines.forEachLine { try sink.write($0 + "\n") }
      try sink.flush()
    case .json, .jsonl:
      var printer = try RecordPrinter(output.format, [], to: sink)
      try printer.printAll { printer in
        try tree.forEachNode { try printer.print(Record(cells: [], json: $0.json(above: $1))) }
      }
    }
    try noteWhatIsMissing(in: tree, sink)
  }

  private func noteWhatIsMissing(in tree: PromiseTree, _ sink: any TextSink) throws {
    if tree.leftOutCount > 0 {
      try sink.note("Promises left out: \(tree.leftOutCount). A higher --limit prints more.")
    }
    let unreadableCount = tree.nodes.count { $0.record == nil }
    guard unreadableCount > 0 else { return }
    throw Status.Failure(
      .findings,
      "Promises that this build cannot read: \(unreadableCount). Update the tool.")
  }
}
