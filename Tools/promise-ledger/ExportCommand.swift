import ArgumentParser
import PromiseLedger

/// `promise-ledger export`: all events as an archive.
struct ExportCommand: LedgerCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes all events to an archive, from which import makes a ledger.",
    discussion: """
      The archive consists of lines of JSON and goes to standard output. Its last line holds a \
      digest of the archive, so that a truncated archive is recognised. The same ledger always \
      makes the same archive.
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
