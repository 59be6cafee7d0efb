import ArgumentParser

/// The format of facts about one thing, or of events.
package enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl
}

/// The format of a list of things that have ids.
enum ListFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl
  case ids

  init(_ format: OutputFormat) {
    switch format {
    case .table: self = .table
    case .json: self = .json
    case .jsonl: self = .jsonl
    }
  }

  func makeRenderer(
    _ columns: [Column], isStyled: Bool, lineLimit: Int?
  ) -> any RecordRenderer {
    switch self {
    case .table: TableRenderer(columns: columns, isStyled: isStyled, lineLimit: lineLimit)
    case .json: JSONRenderer()
    case .jsonl: JSONLinesRenderer()
    case .ids: IDsRenderer()
    }
  }
}
