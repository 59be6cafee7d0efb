import ArgumentParser
import LedgerVerbs
import PromiseLedger

/// `promise-ledger backup`: a verified copy of a ledger in use.
struct BackupCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copies a ledger, while other processes use it, and verifies the copy.",
    discussion: """
      The backup contains everything that was acknowledged before the command began, as of one \
      moment. It appears at its path only once it is complete, verified and on the disk; a backup \
      that is interrupted leaves nothing there, and the next one to the same path removes its \
      remains. It has the same id as the ledger. To restore it, move it to the place of the \
      ledger while no process has either of them open.
      """)

  @OptionGroup var reading: FileOptions

  @Argument(
    help: "The directory of the backup, outside the ledger. Nothing may exist there.",
    completion: .directory)
  var destination: String

  @OptionGroup var output: FormatOptions

  func perform(_ sink: any TextSink) throws {
    let backup = try reading.open().backUp(to: destination) { try sink.alive() }
    var report = Report()
    report.add("backup", "backup", destination)
    report.add("ledger", "ledger", backup.ledgerID.description)
    report.add("position", "position", backup.position.rawValue)
    report.add("records", "records", backup.recordCount)
    report.add("events", "events", backup.eventCount)
    report.add("bytes", "bytes", backup.sizeInBytes)
    report.add("log digest", "logDigest", backup.logDigest.description)
    try report.write(as: output.format, to: sink)
  }
}
