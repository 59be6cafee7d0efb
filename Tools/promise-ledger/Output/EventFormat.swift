import ArgumentParser
import PromiseLedger

/// How events are printed.
enum EventFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl

  func makeRenderer(isStyled: Bool) -> any EventRenderer {
    switch self {
    case .table: TableRenderer(isStyled: isStyled)
    case .json: JSONRenderer()
    case .jsonl: JSONLinesRenderer()
    }
  }
}

/// Turns events into text, one by one.
protocol EventRenderer {
  /// What stands before the first event.
  var header: String { get }
  /// What stands after the last event.
  var footer: String { get }

  mutating func render(_ event: LedgerEvent, _ details: EventDetails) -> String
}
