import ArgumentParser
import Foundation
import PromiseLedger

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
      let template = PageTemplate()
      var page = PageData(of: replayed, in: inspector, eventLimit: events, alive)
      try write(template.beginning)
      try page.writeEvents(sink, write)
      try page.writePromises(at: now, write)
      try page.writeHandlers(write)
      try page.writeSessions(write)
      try page.writeFacts(at: now, path: reading.path, write)
      try write(template.end)
      return page.findings
    }
  }
}
