import ArgumentParser
import PromiseLedger

/// `promise-ledger export`: all events as an archive.
struct ExportCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all events as an archive, which import makes a ledger of.",
    discussion: """
      The archive is lines of JSON and goes to standard output. Its last line holds its own digest, \
      so an archive that was cut short is recognised. The same ledger makes the same archive.
      """)

  @OptionGroup var reading: ReadingOptions

  func perform(_ sink: any TextSink) throws {
    try reading.open().export { piece in
      try sink.write(piece)
      try sink.alive()
    }
    try sink.flush()
  }
}
