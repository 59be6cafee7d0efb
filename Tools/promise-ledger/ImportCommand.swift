import ArgumentParser
import PromiseLedger

/// `promise-ledger import`: a new ledger of an archive.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Makes a new ledger of an archive.",
    discussion: """
      The archive is checked to its end before the ledger appears; if anything is wrong with it, \
      nothing is made. The new ledger exports the same archive.
      """)

  @Argument(help: "The archive; - for standard input.", completion: .file())
  var archive: String

  @Argument(help: "The directory of the new ledger, where nothing must be.", completion: .directory)
  var path: String

  @Option(help: ArgumentHelp("The longest line that is taken.", valueName: "bytes"))
  var maximumLineSize = LedgerImport().maximumLineSizeInBytes

  @OptionGroup var output: FormatOptions

  func validate() throws {
    guard maximumLineSize > 0 else { throw ValidationError("The line size must be positive.") }
  }

  func run() throws {
    var importer = LedgerImport()
    importer.maximumLineSizeInBytes = maximumLineSize
    let summary = try importer.makeLedger(
      at: path, from: archive == "-" ? "/dev/stdin" : archive)
    var report = Report()
    report.add("ledger", "ledger", summary.ledgerID.description)
    report.add("events", "events", summary.eventCount)
    report.add("archive bytes", "archiveBytes", summary.byteCount)
    report.add("log digest", "logDigest", summary.logDigest.description)
    try report.write(as: output.format, to: DirectOutput())
  }
}
