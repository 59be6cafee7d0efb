import ArgumentParser

/// The format of the output.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl

  func makeRenderer(_ columns: [Column], isStyled: Bool) -> any RecordRenderer {
    switch self {
    case .table: TableRenderer(columns: columns, isStyled: isStyled)
    case .json: JSONRenderer()
    case .jsonl: JSONLinesRenderer()
    }
  }
}
