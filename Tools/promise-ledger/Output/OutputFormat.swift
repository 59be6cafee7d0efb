import ArgumentParser

/// The format of the output.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table
  case json
  case jsonl

  func makeRenderer(_ columns: [Column], isStyled: Bool, lineLimit: Int?) -> any RecordRenderer {
    switch self {
    case .table: TableRenderer(columns: columns, isStyled: isStyled, lineLimit: lineLimit)
    case .json: JSONRenderer()
    case .jsonl: JSONLinesRenderer()
    }
  }
}
