/// Prints a list, record by record.
struct RecordPrinter {
  private let output: any TextSink
  private var renderer: any RecordRenderer
  private var isFirst = true

  init(_ format: OutputFormat, _ columns: [Column], to output: any TextSink) throws {
    self.output = output
    renderer = format.makeRenderer(columns, isStyled: output.isStyled)
    try output.setClosing(renderer.header + renderer.footer)
  }

  mutating func print(_ record: Record) throws {
    if isFirst { try output.write(renderer.header) }
    try output.write(renderer.render(record))
    // The same for every record after the first.
    if isFirst { try output.setClosing(renderer.footer) }
    isFirst = false
  }

  mutating func end() throws {
    if isFirst { try output.write(renderer.header) }
    try output.write(renderer.footer)
    try output.setClosing("")
    try output.flush()
  }
}
