import ArgumentParser
import LedgerVerbs
import PromiseLedger

/// `promise-ledger salvage`: the readable rest of a damaged ledger.
struct SalvageCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "salvage",
    abstract: "Makes a new ledger of what is intact in a damaged one, and lists what was lost.",
    discussion: """
      The damaged ledger is only read. The new ledger holds the longest state that can be \
      replayed; a ledger has no gaps. All other intact events go into a file beside it, with \
      .loose.jsonl appended to its path: lines of JSON as in an archive, of which no ledger can \
      be made. No process should have the damaged ledger open. The exit code is 1 if the new \
      ledger does not hold everything, and 5 if no ledger could be made.
      """)

  @OptionGroup var reading: FileOptions

  @Argument(
    help: "The directory of the new ledger. Nothing may exist there.", completion: .directory)
  var destination: String

  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let salvage = try LedgerSalvage().makeLedger(at: destination, from: reading.path) {
      try sink.alive()
    }
    try Report(salvage, destination).write(as: output.format, to: sink)
    guard salvage.hasLedger else {
      throw Status.Failure(
        .corrupt, "No ledger could be made. Restore the ledger from a backup or an archive.")
    }
    guard salvage.isComplete else {
      throw Status.Failure(
        .findings, "The new ledger does not hold everything. Compare with a backup or an archive.")
    }
    try sink.note("Nothing was lost.")
  }
}

extension Report {
  fileprivate init(_ salvage: SalvageReport, _ destination: String) {
    self.init()
    let hasLedger = salvage.hasLedger
    add(
      "salvaged", "salvaged", .bool(hasLedger),
      text: hasLedger ? destination.escapingControlCharacters : "no ledger")
    add("ledger", "ledger", salvage.ledgerID?.description ?? "unknown")
    add("position", "position", salvage.position.rawValue)
    add("records", "records", salvage.recordCount)
    add("events", "events", salvage.eventCount)
    let ranges = salvage.lostEvents.map { range in
      range.lowerBound == range.upperBound
        ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
    let bounds = salvage.lostEvents.map { range -> JSONValue in
      .array([.unsigned(range.lowerBound.rawValue), .unsigned(range.upperBound.rawValue)])
    }
    add("lost events", "lostEvents", .array(bounds), text: Self.list(ranges))
    add(
      "lost values", "lostValues", .array(salvage.lostValues.map { .unsigned($0.rawValue) }),
      text: Self.list(salvage.lostValues.map { "at \($0)" }))
    add(
      "lost snapshot", "lostSnapshot", .bool(salvage.isSnapshotLost),
      text: salvage.isSnapshotLost ? "yes" : "no")
    add("lost records", "lostRecords", salvage.lostRecordCount)
    add("loose events", "looseEvents", salvage.looseEventCount)
    add("loose records", "looseRecords", salvage.looseRecordCount)
    add("loose file", "looseFile", salvage.looseFile ?? "none")
  }

  private static func list(_ texts: [String]) -> String {
    texts.isEmpty ? "none" : texts.joined(separator: ", ")
  }
}
