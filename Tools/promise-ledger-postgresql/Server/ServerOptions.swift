import ArgumentParser
import LedgerVerbs
import PromiseLedgerPostgreSQL

/// The options of every command that uses one ledger on a server.
struct ServerOptions: LedgerOptions, ServerAccess {
  @Argument(help: "The name of the ledger.")
  var ledger: String

  @Option(help: .connection)
  var connection: String?

  @Option(help: .schema)
  var schema = SchemaOptions.usualSchema

  @Flag(help: .standby)
  var standby = false

  @Option(help: .timeout)
  var timeout = 30.0

  func validate() throws {
    try checkTimeout()
    try checkConnection()
  }

  var words: LedgerWords { LedgerWords(ledger, options: words) }

  func open(toWrite writes: Bool) throws -> BlockingInspector {
    try BlockingInspector(place(ledger), prefersStandby: standby)
  }

  func openToFollow() throws -> (ledger: BlockingInspector, followed: any FollowedLedger) {
    (try open(), PolledLedger())
  }

  func openSession(_ configuration: LedgerConfiguration) async throws -> Ledger {
    try await Ledger.open(place(ledger), as: .operator, configuration: configuration)
  }

  func byteCount(of ledger: BlockingInspector) throws -> Int { try ledger.usedByteCount() }

  func addSpace(
    of ledger: BlockingInspector, to report: inout Report, _ sink: any TextSink
  ) throws {
    report.add("used bytes", "usedBytes", try ledger.usedByteCount())
  }

  func checkForWriting(by writer: String) throws {
    guard !standby else {
      throw ValidationError("\(writer) that writes needs the primary: leave out --standby.")
    }
  }

  /// No file is within a ledger on a server.
  func check(output: String) {}
}
