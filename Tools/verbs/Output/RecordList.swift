import LedgerRuntime

/// A list of items in a ledger at one moment, as a command prints it.
struct RecordList {
  /// The state that a list is of.
  struct Moment {
    let replayed: ReplayedLedger
    /// The time for which the list holds: the present, or that of the newest event of an earlier state.
    let now: Timestamp
    /// Called now and then, it shows that the command is still running.
    let alive: () -> Void
  }

  let reading: ReadingOptions
  let options: ListOptions

  /// Prints the records that `list` finds, up to the requested number.
  ///
  /// - Parameter list: Takes the state, and a closure to call with each record, which returns whether to go on.
  func print(
    _ columns: [Column], to sink: any TextSink,
    _ list: (Moment, _ print: (Record) throws -> Bool) throws -> Void
  ) throws {
    let inspector = try reading.open()
    try inspector.withMoment(at: options.position, sink) { moment in
      var printer = try RecordPrinter(options.format, columns, to: sink)
      try printer.printAll { printer in
        var left = options.limit ?? .max
        guard left > 0 else { return }
        func printNext(_ record: Record) throws -> Bool {
          try printer.print(record)
          left -= 1
          return left > 0
        }
        try list(moment, printNext)
      }
    }
  }
}

extension BlockingInspector {
  /// Runs `body` on a state.
  ///
  /// - Parameter position: The last event of the state; `nil` for the newest state.
  func withMoment<R>(
    at position: Position?, _ sink: any TextSink, _ body: (RecordList.Moment) throws -> R
  ) throws -> R {
    let alive = { () -> Void in try? sink.alive() }
    return try withReplay(through: position, progress: sink.progress(through: self)) { replayed in
      let now = position == nil ? SystemLedgerClock().now() : replayed.newestTime
      return try body(RecordList.Moment(replayed: replayed, now: now, alive: alive))
    }
  }
}
