import ArgumentParser
import LedgerRuntime

/// `promise-ledger replay`: what this build makes of recordings.
struct ReplayCommand: ChildCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Replays recordings, and lists where this build makes something else of them.",
    discussion: """
      Each recording is rebuilt in memory, and replayed. The digests of the states are compared \
      with the recorded ones; an archive without them is only replayed. The output lists the \
      divergences, each with the events around it, and counts, for each kind of code, which events \
      met which states. The exit code is 1 if something diverges, 3 if there is no such file, 5 \
      if a file is damaged, 6 if a later version wrote it; of several files, the worst counts.
      """)

  @Argument(help: "The recordings.", completion: .file())
  var files: [String]

  @OptionGroup var patience: PatienceOption

  @OptionGroup var output: FormatOptions

  var timeoutInSeconds: Double { patience.timeout }

  func perform(_ sink: any TextSink) throws {
    var failures: [Status] = []
    var divergenceCount = 0
    var reports: [Report] = []
    for file in files {
      do {
        let rebuilt = try RebuiltRecording.read(file, patience, sink)
        let replay = try RecordingReplay(rebuilt) { try? sink.alive() }
        divergenceCount += replay.divergences.count
        reports.append(Report(replay, of: rebuilt, in: file))
      } catch let error as LedgerError {
        failures.append(Status(error.code))
        reports.append(Report(error, in: file))
        try sink.note("\(file): \(error)")
      }
    }
    try write(reports, to: sink)
    if divergenceCount > 0 { failures.append(.findings) }
    guard let worst = failures.max(by: { $0.rank < $1.rank }) else { return }
    throw Status.Failure(
      worst, divergenceCount > 0 ? "Divergences: \(divergenceCount)." : nil)
  }

  private func write(_ reports: [Report], to sink: any TextSink) throws {
    guard output.format == .table else {
      var printer = try RecordPrinter(output.format, [], to: sink)
      try printer.printAll { printer in
        for report in reports { try printer.print(Record(cells: [], json: report.json)) }
      }
      return
    }
    for (number, report) in reports.enumerated() {
      if number > 0 { try sink.write("\n") }
      try report.write(as: .table, to: sink)
    }
  }
}

extension Status {
  /// The order of statuses, of which the worst counts.
  fileprivate var rank: Int {
    switch self {
    case .fine: 0
    case .findings: 1
    case .usage: 2
    case .notFound: 3
    case .busy: 4
    case .systemFailure: 5
    case .incompatible: 6
    case .corrupt: 7
    }
  }
}
