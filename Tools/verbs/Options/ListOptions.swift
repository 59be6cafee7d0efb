import ArgumentParser
import LedgerRuntime

/// Options that limit the length of a list.
protocol LimitOptions: ParsableArguments {
  /// `nil` for the whole list.
  var limit: Int? { get }
}

extension LimitOptions {
  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("The limit must not be negative.") }
  }
}

extension ArgumentHelp {
  fileprivate static let limit = ArgumentHelp("At most this many.", valueName: "count")

  fileprivate static let listFormat: Self =
    "The format of the output; ids prints only whole ids, one a line."
}

extension NameSpecification {
  fileprivate static let format: Self = [.customLong("format"), .customShort("o")]
}

/// The options of every list of what is in a ledger: which state, how much of it, and in which format.
struct ListOptions: LimitOptions {
  @Option(
    name: .customLong("at"),
    help: ArgumentHelp(
      "Show the state after the event at this position, instead of the newest.",
      valueName: "position"))
  var rawPosition: UInt64?

  @Option(help: .limit)
  var limit: Int?

  @Option(name: .format, help: .listFormat)
  var format: ListFormat = .table

  /// `nil` for the newest state.
  var position: Position? { rawPosition.map(Position.init(rawValue:)) }
}

/// The option for the length of a list.
struct LimitOption: LimitOptions {
  @Option(name: .customLong("limit"), help: .limit)
  var count: Int?

  var limit: Int? { count }
}

/// The option for the format of a list.
struct ListFormatOptions: ParsableArguments {
  @Option(name: .format, help: .listFormat)
  var format: ListFormat = .table
}
