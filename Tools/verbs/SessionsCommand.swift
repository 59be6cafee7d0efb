import ArgumentParser
import LedgerRuntime

/// `promise-ledger sessions`: sessions, and whether their processes are there.
struct SessionsCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions",
    abstract: "Lists sessions, and whether their processes are alive.",
    discussion: """
      A session is alive if its process has the ledger open; frozen if its process let go of the \
      ledger and may come back; dead if the log shows it as open although its process is gone; \
      and ended. Without --state, the list has the sessions that have not ended, in the order of \
      their ids. With --state ended, those that ended come before these, in the order of their \
      ends. What a dead session ran is given back by the next session that opens the ledger, or \
      writes to it.
      """)

  enum State: String, ExpressibleByArgument, CaseIterable {
    case alive, frozen, dead, ended
  }

  @OptionGroup var reading: ReadingOptions

  @Option(name: .customLong("state"), help: "Print only sessions in this state; may be repeated.")
  var states: [State] = []

  @Option(
    help: ArgumentHelp("Only those of this instance of an app.", valueName: "name"))
  var instance: String?

  @Option(
    help: ArgumentHelp(
      "Only those whose last event is at least this old, such as 1h.", valueName: "duration"))
  var older: DurationArgument?

  @OptionGroup var list: ListOptions

  func perform(_ sink: any TextSink) throws {
    let list = RecordList(reading: reading, options: list)
    let includesEnded = states.contains(.ended)
    try list.print(Record.sessionColumns, to: sink) { moment, print in
      try moment.replayed.forEachSession(includesEnded: includesEnded, progress: moment.alive) {
        session, presence in
        let liveness = Liveness(session, presence)
        guard states.isEmpty || states.contains(where: { $0.rawValue == liveness.rawValue }),
          instance.map({ $0 == session.opened.instance }) ?? true,
          older.includes(session.lastTime, at: moment.now)
        else { return true }
        let counts = try moment.replayed.runningCounts(of: session.id)
        return try print(Record(session, liveness, calls: counts.calls, work: counts.work))
      }
    }
  }
}

extension Record {
  /// The columns of a list of sessions.
  static let sessionColumns = [
    Column("instance", width: 16, shortening: .toWidth), .id, Column("state", width: 6),
    Column("role", width: 12), Column("process", width: 8, isRightAligned: true),
    .time("last event"), Column("details"),
  ]

  /// - Parameters:
  ///   - calls: The number of calls that it runs.
  ///   - work: The number of works that it runs.
  init(_ session: SessionRecord, _ liveness: Liveness, calls: Int, work: Int) {
    var details: [String] = []
    if calls > 0 { details.append(calls == 1 ? "runs 1 call" : "runs \(calls) calls") }
    if work > 0 { details.append("runs \(work) work") }
    if case .ended(let reason) = session.status { details.append("\(reason)") }
    details.append("opened \(session.openedAt)")
    details.append("host \(session.opened.host.quoted)")
    cells = [
      session.opened.instance.plainOrQuoted, "\(session.id)", liveness.rawValue,
      "\(session.opened.role)", "\(session.processID)", "\(session.lastTime)",
      details.joined(separator: ", "),
    ]
    guard case .object(var members) = Report(session).json else {
      json = .object([:])
      return
    }
    members["liveness"] = .string(liveness.rawValue)
    members["runningCalls"] = .integer(Int64(calls))
    members["runningWork"] = .integer(Int64(work))
    json = .object(members)
  }
}
