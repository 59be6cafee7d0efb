import ArgumentParser
import LedgerRuntime

/// `promise-ledger PATH`: the state of a ledger on one screen.
struct OverviewCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "overview",
    abstract: "Prints what failed, what is stuck and what waits, and the next command for each.",
    discussion: """
      This is the command without a verb: \(Program.tool.name) \(Program.tool.wording.placeholder). For a single promise or handler, \
      the next command explains it; for several, it lists them. Failures of what needs no \
      consumption are counted among the newest 100000 events. The exit code is 1 if something \
      failed or is stuck.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let now = SystemLedgerClock().now()
    let summary = try inspector.store.snapshotSummary()
    let overview = try inspector.withNames(sink) { replayed in
      try Overview(of: replayed, at: now) { try? sink.alive() }
    }
    var facts = Report()
    facts.add("ledger", "ledger", "\(inspector.id)")
    let before = Position(rawValue: max(overview.head.rawValue, 1) - 1)
    let newest = try inspector.events(after: before, limit: 1).first?.time
    let age = newest.map { ", the newest \($0.ago(at: now))" } ?? ""
    facts.add(
      "events", "head", .unsigned(overview.head.rawValue), text: "\(overview.head)\(age)")
    if let newest { facts.add("newestTime", .string("\(newest)")) }
    let tail = overview.head.rawValue - min(summary.position.rawValue, overview.head.rawValue)
    facts.add(
      "tail", "snapshotPosition", .unsigned(summary.position.rawValue),
      text:
        "\(tail) events after the snapshot at \(summary.position); deleted through \(summary.deletedThrough)"
    )
    facts.add("deletedThrough", .unsigned(summary.deletedThrough.rawValue))
    facts.add("data bytes", "fileBytes", try reading.byteCount(of: inspector))
    let counts = overview.sessions
    facts.add(
      "sessions", "sessions",
      .object(counts.reduce(into: [:]) { $0[$1.key.rawValue] = .integer(Int64($1.value)) }),
      text: [Liveness.alive, .frozen, .dead].map { "\(counts[$0, default: 0]) \($0.rawValue)" }
        .joined(separator: ", "))
    facts.add("findings", .array(overview.findings.map { $0.json(of: reading.words) }))
    if output.format == .table {
      try facts.write(as: .table, to: sink)
      try overview.write(of: reading.words, now, to: sink)
    } else {
      try facts.write(as: output.format, to: sink)
    }
    if overview.needsAttention { throw Status.Failure(.findings) }
  }
}

extension Timestamp {
  /// How long ago it was, or when it will be.
  func ago(at now: Timestamp) -> String {
    let age = now - self
    return age < .zero ? "in \((.zero - age).rounded)" : "\(age.rounded) ago"
  }

  /// The same in one unit, for a column.
  func shortlyAgo(at now: Timestamp) -> String {
    let age = now - self
    return age < .zero ? "in \((.zero - age).shortWords)" : "\(age.shortWords) ago"
  }
}

extension Duration {
  /// The duration in whole units, without milliseconds.
  fileprivate var rounded: String {
    Duration.seconds(components.seconds).longWords(isASCII: true)
  }
}
