import ArgumentParser
import LedgerRuntime

/// `promise-ledger import`: makes a new ledger from archives.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a new ledger from archives.",
    discussion: """
      The archives are checked to their ends before the ledger appears; if anything is wrong with \
      them, nothing is created. If an import is killed, the next import \
      \(Program.tool.wording.sameLedger) removes its remains. A ledger made from one archive exports the same archive again. Archives that \
      compact wrote, in their order, followed by an export, make a ledger with all events. Each may \
      be compressed with gzip.
      """)

  @OptionGroup var ledger: MakingOptions

  @Argument(help: "The archives, in their order; - is standard input.", completion: .file())
  var archives: [String]

  @Option(help: ArgumentHelp("The maximum length of a line.", valueName: "bytes"))
  var maximumLineSize = LedgerImport().maximumLineSizeInBytes

  @OptionGroup var output: FormatOptions

  func validate() throws {
    guard maximumLineSize > 0 else { throw ValidationError("The line size must be positive.") }
  }

  func run() throws {
    var importer = LedgerImport.ofAnyArchive
    importer.maximumLineSizeInBytes = maximumLineSize
    let summary = try ledger.makeLedger(
      from: archives.map { $0 == "-" ? "/dev/stdin" : $0 }, by: importer)
    for archive in summary.unusedArchives {
      StandardError.note(
        "The archive \(archive) added nothing: the archives before it have all its events.")
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
