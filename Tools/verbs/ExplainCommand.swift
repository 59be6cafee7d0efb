import ArgumentParser
import LedgerRuntime

/// `promise-ledger explain`: the reasons why something waits.
struct ExplainCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Prints why a promise, its work, or a handler waits, and what would end that.",
    discussion: """
      Each reason is followed by the actions that end it, the usual one first. If a promise \
      awaits others, the line chain lists them: each awaits the next one. Then come the sessions \
      that created it or run it, what names it in its arguments, calls that failed, and the \
      commands by which an operator ends the reasons. The reasons hold for \
      the present time of this clock, and for the sessions whose processes are alive now. The \
      article "Why something waits" lists all reasons. The exit code is 0 whatever the reasons are.
      """)

  @OptionGroup var reading: ReadingOptions
  @OptionGroup var subject: SubjectOptions
  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let inspector = try reading.open()
    let now = SystemLedgerClock().now()
    let found = try inspector.withSubject(subject.subjectName(), sink) {
      replayed, subject in
      guard let explanation = try subject.explanation(in: replayed, at: now) else {
        throw Status.Failure(
          .usage, "\(subject.id) is a session. Explain a promise or a handler.")
      }
      var report = Report(explanation, of: subject)
      try report.addSessions(of: subject, in: replayed)
      let referrers = try Referrers(of: subject, in: replayed) { try? sink.alive() }
      return (report, referrers, explanation.commands(for: reading.words))
    }
    var (report, referrers, commands) = found
    referrers.add(to: &report, from: inspector)
    for command in commands { report.addLine("command", command) }
    if !commands.isEmpty { report.add("commands", .strings(commands)) }
    try report.write(as: output.format, to: sink)
  }
}

extension Subject {
  /// The reasons why it waits; `nil` for a session.
  fileprivate func explanation(
    in replayed: ReplayedLedger, at now: Timestamp
  ) throws(LedgerError) -> Explanation? {
    switch self {
    case .promise(let record): try replayed.explanation(of: record.id, at: now)
    case .handler(let record): try replayed.explanation(of: record.id, at: now)
    case .session: nil
    }
  }
}
