import PromiseLedger

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

  /// Ends the output after what `body` prints: what could be read is shown, and is whole JSON, before
  /// it is told why the rest could not.
  mutating func printAll(_ body: (inout RecordPrinter) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error as LedgerError {
      try end()
      guard error.code != .eventsCompacted else { throw Status.Failure.compactedMeanwhile }
      throw error
    }
    try end()
  }

  mutating func end() throws {
    if isFirst { try output.write(renderer.header) }
    try output.write(renderer.footer)
    try output.setClosing("")
    try output.flush()
  }
}
