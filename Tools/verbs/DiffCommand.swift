import ArgumentParser
import LedgerRuntime

/// `promise-ledger diff`: what is different between two states.
struct DiffCommand: ChildCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Lists what is different between two positions of a ledger, or between two ledgers.",
    discussion: """
      A side is a ledger or an archive, and may be followed by a position: the state after that \
      event, instead of the newest. If the second side is only a position, or is left out, it is of \
      the same ledger: diff \(wording.ledger) 120 180, diff \(wording.ledger) 120, \
      diff \(wording.ledger) \(wording.archive). \(wording.ambiguousNames) Promises, handlers and \
      sessions are compared, in the order of their ids: those that only the second side has are \
      created, those that only the first side has are removed; settled means that a promise was \
      settled or given up, a handler can no longer be called, or a session ended. The exit code is \
      0 if there is no difference, and 1 if there is one. An archive is held in memory as a whole.
      """)

  private static var wording: ToolWording { Program.tool.wording }

  @Argument(
    help: ArgumentHelp(
      "The two sides: ledgers or archives, each with a position or without.", valueName: "side"),
    completion: .file())
  var sides: [String]

  @OptionGroup var access: SharedAccessOptions
  @OptionGroup var limit: LimitOption
  @OptionGroup var output: ListFormatOptions

  var timeoutInSeconds: Double { access.timeout }

  func validate() throws { _ = try DiffSides(sides) }

  func perform(_ sink: any TextSink) throws {
    let sides = try DiffSides(sides)
    var counts = DiffCounts()
    try sides.withStates(access, sink) { difference in
      var printer = try RecordPrinter(
        output.format, StateChange.columns, to: sink, leavesOutEmptyTable: true)
      try printer.printAll { printer in
        var left = limit.count ?? .max
        try difference.forEachChange { change in
          counts.count(change)
          if left > 0 { try printer.print(change.record) }
          left -= left > 0 ? 1 : 0
          return true
        }
      }
    }
    if let words = counts.words { throw Status.Failure(.findings, words) }
  }
}

/// The numbers of differences.
private struct DiffCounts {
  private var counts: [StateChange.Kind: Int] = [:]

  mutating func count(_ change: StateChange) { counts[change.kind, default: 0] += 1 }

  /// `nil` if there is no difference.
  var words: String? {
    guard !counts.isEmpty else { return nil }
    let parts = StateChange.Kind.allCases.compactMap { kind in
      counts[kind].map { "\($0) \(kind.rawValue)" }
    }
    return "Different: \(parts.joined(separator: ", "))."
  }
}
