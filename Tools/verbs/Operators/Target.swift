import ArgumentParser
import LedgerRuntime

/// A promise or handler that an operator changes.
enum Target: Sendable {
  case promise(PromiseRecord)
  case handler(HandlerRecord)

  var id: EntityID {
    switch self {
    case .promise(let record): record.id.entityID
    case .handler(let record): record.id.entityID
    }
  }

  var nameText: String? {
    switch self {
    case .promise(let record): record.nameText
    case .handler(let record): record.nameText
    }
  }

  var state: String {
    switch self {
    case .promise(let record): "\(record.status)"
    case .handler(let record): "\(record.status)"
    }
  }

  func add(to report: inout Report) {
    switch self {
    case .promise(let record): report.add(record)
    case .handler(let record): report.add(facts: Report(record))
    }
  }
}

/// The options by which an operator selects many things at once: those of a list.
protocol TargetSelection: ParsableArguments, Sendable {
  /// Whether no option selects anything.
  var isEmpty: Bool { get }
  /// The maximum number of targets.
  var limit: LimitOption { get }

  /// Passes on what is selected, until `body` returns `false`.
  func forEach(
    in replayed: ReplayedLedger, at now: Timestamp, progress: () -> Void,
    _ body: (Target) throws -> Bool
  ) throws
}
