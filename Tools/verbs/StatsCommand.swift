import ArgumentParser
import LedgerRuntime

/// `promise-ledger stats`: the numbers of events and records, and their space.
struct StatsCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Counts events, promises, handlers and sessions, and the space that they take.")

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let statistics = try inspector.statistics(progress: sink.progress(through: inspector))
    var report = Report()
    report.add("ledger", "ledger", inspector.id.description)
    report.add("format version", "formatVersion", Int(inspector.formatVersion))
    report.add("created", "createdAt", inspector.createdAt)
    report.add("head", "head", statistics.head.rawValue)
    report.add("snapshot", "snapshotPosition", statistics.snapshotPosition.rawValue)
    report.add("deleted through", "deletedThrough", statistics.deletedThrough.rawValue)
    if let first = statistics.firstTime, let last = statistics.lastTime {
      report.add("first event", "firstTime", first)
      report.add("last event", "lastTime", last)
    }
    addNewestTime(statistics, to: &report)
    report.add("commits", "commits", statistics.commitCount)
    report.add("frames", "frames", statistics.frameCount)
    report.add("frame bytes", "frameBytes", statistics.frameByteCount)
    report.add("large values", "largeValues", statistics.attachmentCount)
    report.add("large value bytes", "largeValueBytes", statistics.attachmentByteCount)
    report.add("events", "events", statistics.eventCount)
    addKinds(statistics, to: &report)
    for (name, status) in Self.statuses {
      report.add("promises \(name)", "\(name)Promises", statistics.promiseCounts[status] ?? 0)
    }
    report.add("handlers open", "openHandlers", statistics.openHandlerCount)
    report.add("handlers closed", "closedHandlers", statistics.closedHandlerCount)
    report.add("sessions", "sessions", statistics.sessionCount)
    report.add("sessions not ended", "sessionsNotEnded", statistics.openSessionCount)
    report.addUnsupportedRecords(statistics.unsupportedRecordCount)
    try reading.addSpace(of: inspector, to: &report, sink)
    try report.write(as: output.format, to: sink)
  }

  private static let statuses: [(String, PromiseRecord.Status)] = [
    ("pending", .pending), ("resolved", .resolved), ("consumed", .consumed),
    ("abandoned", .abandoned),
  ]

  /// Smaller differences between clocks are not worth a line.
  private static let clockTolerance = Duration.seconds(60)

  private func addNewestTime(_ statistics: LedgerStatistics, to report: inout Report) {
    guard let newest = statistics.newestTime else { return }
    report.add("newest time", "newestTime", "\(newest)")
    let lag = newest - SystemLedgerClock().now()
    guard lag > Self.clockTolerance else { return }
    report.add(
      "clock", "clockBehindSeconds", .integer(lag.components.seconds),
      text: "this clock is \(lag.components.seconds) s behind the newest event")
  }

  private func addKinds(_ statistics: LedgerStatistics, to report: inout Report) {
    var members: [String: JSONValue] = [:]
    for (kind, count) in statistics.eventCounts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      members["\(kind)"] = .integer(Int64(count))
      report.addLine("  \(kind)", "\(count)")
    }
    report.add("eventsByKind", .object(members))
  }
}
