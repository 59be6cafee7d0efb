import PromiseLedger

/// A list of items in a ledger at one moment, as a command prints it.
struct RecordList {
  let reading: ReadingOptions
  let format: OutputFormat
  let limit: Int?

  /// Prints the records that `list` finds, up to the requested number.
  ///
  /// - Parameter list: Takes the ledger, a closure to call now and then, and a closure to call with
  ///   each record, which returns whether to go on.
  func print(
    _ columns: [Column], to sink: any TextSink,
    _ list: (ReplayedLedger, _ alive: () -> Void, _ print: (Record) throws -> Bool) throws -> Void
  ) throws {
    let inspector = try reading.open()
    let alive = { () -> Void in try? sink.alive() }
    let progress = { (_: Position) -> Void in alive() }
    try inspector.withReplay(progress: progress) { replayed in
      var printer = try RecordPrinter(format, columns, to: sink)
      try printer.printAll { printer in
        var left = limit ?? .max
        guard left > 0 else { return }
        func printNext(_ record: Record) throws -> Bool {
          try printer.print(record)
          left -= 1
          return left > 0
        }
        try list(replayed, alive, printNext)
      }
    }
  }
}
