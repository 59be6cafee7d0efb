import ArgumentParser
import PromiseLedger

/// The options of every list of what is in a ledger: which state, how much of it, and in which format.
struct ListOptions: ParsableArguments {
  @OptionGroup var past: PastOption
  @OptionGroup var limit: LimitOption
  @OptionGroup var output: ListFormatOptions
}

/// The option for the format of a list.
struct ListFormatOptions: ParsableArguments {
  @Option(
    name: [.customLong("format"), .customShort("o")],
    help: "The format of the output; ids prints only whole ids, one a line.")
  var format: ListFormat = .table
}

/// The option of commands that look at an earlier state.
struct PastOption: ParsableArguments {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Show the state after the event at this position, instead of the newest.",
      valueName: "position"))
  var rawPosition: UInt64?

  /// `nil` for the newest state.
  var position: Position? { rawPosition.map(Position.init(rawValue:)) }
}

/// The option for the length of a list.
struct LimitOption: ParsableArguments {
  @Option(name: .customLong("limit"), help: ArgumentHelp("At most this many.", valueName: "count"))
  var count: Int?

  func validate() throws {
    if let count, count < 0 { throw ValidationError("The limit must not be negative.") }
  }
}
