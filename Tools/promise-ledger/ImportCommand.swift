import ArgumentParser
import PromiseLedger

/// `promise-ledger import`: makes a new ledger from archives.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a new ledger of archives.",
    discussion: """
      The archives are checked to their ends before the ledger appears; if anything is wrong with \
      them, nothing is made. What an import that was killed left beside the path goes with the next \
      one to that path. A ledger made of one archive exports it again. After the archives that \
      compact wrote, in their order, an export makes a ledger with all events.
      """)

  @Argument(help: "The directory of the new ledger, where nothing must be.", completion: .directory)
  var path: String

  @Argument(help: "The archives in their order; - for standard input.", completion: .file())
  var archives: [String]

  @Option(help: ArgumentHelp("The maximum length of a line.", valueName: "bytes"))
  var maximumLineSize = LedgerImport().maximumLineSizeInBytes

  @OptionGroup var output: FormatOptions

  func validate() throws {
    guard maximumLineSize > 0 else { throw ValidationError("The line size must be positive.") }
  }

  func run() throws {
    var importer = LedgerImport()
    importer.maximumLineSizeInBytes = maximumLineSize
    let summary = try importer.makeLedger(
      at: path, from: archives.map { $0 == "-" ? "/dev/stdin" : $0 })
    for archive in summary.unusedArchives {
      StandardError.note(
        "The archive \(archive) added nothing: those before it have all its events.")
    }
    var report = Report()
    report.add("ledger", "ledger", summary.ledgerID.description)
    report.add("records", "records", summary.recordCount)
    report.add("events", "events", summary.eventCount)
    report.add("archive bytes", "archiveBytes", summary.byteCount)
    report.add("log digest", "logDigest", summary.logDigest.description)
    try report.write(as: output.format, to: DirectOutput())
  }
}
