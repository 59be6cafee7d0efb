import ArgumentParser
import Foundation
import LedgerRuntime

/// `promise-ledger report`: a page to look at.
struct ReportCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Writes a page about a ledger for a browser, in one file.",
    discussion: """
      The page has what overview prints, lists to search and to filter, and for each promise, work \
      and handler its facts, its life along time, its relations and its events. It loads nothing \
      from a network, and contains the ledger's values and texts as they are. It has the newest \
      events, everything that is open, and what ended among these events; it says what was left \
      out. The file appears under its name only when it is complete. The exit code is 1 if events \
      are of kinds or versions that this build does not know; the page has them, too.
      """)

  /// More lines than this are more than browsers can scroll.
  private static let largestEventCount = 500_000

  @OptionGroup var reading: ReadingOptions

  @Option(
    name: .shortAndLong, help: "The file of the page; - for standard output.",
    completion: .file(extensions: ["html"]))
  var output: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Option(
    help: ArgumentHelp("Put at most this many events into the page.", valueName: "count"))
  var events = 100_000

  func validate() throws {
    guard (0...Self.largestEventCount).contains(events) else {
      throw ValidationError(
        "The number of events must be between 0 and \(Self.largestEventCount).")
    }
  }

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    var findings = Findings()
    if output == "-" {
      findings = try write(inspector, sink) { try sink.write($0) }
      try sink.flush()
    } else {
      if !force, FileManager.default.fileExists(atPath: output) {
        throw Status.Failure.exists(output)
      }
      try reading.check(output: output)
      try OutputFile.write(to: output, isReplacing: force) { write in
        findings = try self.write(inspector, sink, write)
      }
    }
    try findings.throwIfAny()
  }

  private func write(
    _ inspector: BlockingInspector, _ sink: any TextSink, _ write: ([UInt8]) throws -> Void
  ) throws -> Findings {
    let now = SystemLedgerClock().now()
    let alive = { () -> Void in try? sink.alive() }
    let progress = { (_: Position) -> Void in alive() }
    return try inspector.withReplay(progress: progress) { replayed in
      let template = PageTemplate(.report)
      var blocks = PageBlocks()
      let add = { (line: PageLine) in try blocks.add(line.list, line.bytes, write) }
      try write(template.beginning)
      let events = try addEvents(through: replayed.position, of: inspector, sink, add)
      var page = PageData(of: replayed, in: inspector, after: events, alive)
      try page.addRecords(at: now, add)
      try blocks.end(write)
      try write(page.facts(at: now, of: reading).element(id: "meta"))
      try write(template.end)
      return events.findings
    }
  }

  private func addEvents(
    through end: Position, of inspector: BlockingInspector, _ sink: any TextSink,
    _ body: (PageLine) throws -> Void
  ) throws -> PageEvents {
    var events = PageEvents(through: end, limit: self.events)
    var reader = EventReader(inspector: inspector, output: sink)
    reader.after = Position(rawValue: events.first.rawValue - 1)
    reader.through = end
    reader.notesDeletion = false
    try reader.read { event in
      try body(events.line(of: event, in: inspector))
      return true
    }
    return events
  }
}
