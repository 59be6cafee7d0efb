import LedgerRuntime

/// Prints a list, record by record.
package struct RecordPrinter {
  private let output: any TextSink
  private var renderer: any RecordRenderer
  private var isFirst = true
  /// Whether the list has no end, so that an interruption leaves nothing out.
  private let isEndless: Bool
  /// Whether to omit the header of a table without records, so that no news is no output.
  private let leavesOutEmptyTable: Bool

  package init(
    _ format: OutputFormat, _ columns: [Column], to output: any TextSink, isEndless: Bool = false,
    leavesOutEmptyTable: Bool = false
  ) throws {
    try self.init(
      ListFormat(format), columns, to: output, isEndless: isEndless,
      leavesOutEmptyTable: leavesOutEmptyTable)
  }

  init(
    _ format: ListFormat, _ columns: [Column], to output: any TextSink, isEndless: Bool = false,
    leavesOutEmptyTable: Bool = false
  ) throws {
    self.output = output
    self.isEndless = isEndless
    self.leavesOutEmptyTable = leavesOutEmptyTable && format == .table
    renderer = format.makeRenderer(
      columns, isStyled: output.isStyled, lineLimit: output.lineLimit)
    try setClosing(after: renderer.header)
  }

  package mutating func print(_ record: Record) throws {
    if isFirst { try output.write(renderer.header) }
    try output.write(renderer.render(record))
    // The closing is the same for every record after the first.
    if isFirst { try setClosing(after: "") }
    isFirst = false
  }

  private func setClosing(after start: String) throws {
    try output.setClosing(
      Closing(
        interrupted: start + renderer.footer(isComplete: isEndless),
        incomplete: start + renderer.footer(isComplete: false)))
  }

  /// Ends the output after the records that `body` prints. If reading fails, the records so far are
  /// shown as valid JSON that is marked as incomplete, and the error follows.
  package mutating func printAll(_ body: (inout RecordPrinter) throws -> Void) throws {
    do {
      try body(&self)
    } catch let error where !(error is StandardOutput.Closed || error is StandardOutput.Failure) {
      try end(isComplete: false)
      guard let failure = Status.Failure(error) else { throw error }
      let isCompacted = (error as? LedgerError)?.code == .eventsDeleted
      throw (isCompacted ? .compactedMeanwhile : failure).leavingOutputIncomplete
    }
    try end()
  }

  /// - Parameter isComplete: Whether all records were printed.
  mutating func end(isComplete: Bool = true) throws {
    if isFirst, !(leavesOutEmptyTable && isComplete) { try output.write(renderer.header) }
    try output.write(renderer.footer(isComplete: isComplete))
    try output.setClosing(.none)
    try output.flush()
  }
}
