import ArgumentParser
import Foundation
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

  func addSpace(of ledger: BlockingInspector, to report: inout Report) throws {
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

/// The options of a command that reads several ledgers of a schema.
struct SharedServerOptions: SharedOptions, ServerAccess {
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

  /// A ledger may have any name, so the name of an archive has to show that it is a path.
  func isArchive(_ word: String) -> Bool {
    word.contains("/") && FileManager.default.fileExists(atPath: word)
  }

  func areSame(_ word: String, _ other: String) -> Bool { word == other }

  func open(_ word: String) throws -> BlockingInspector {
    try BlockingInspector(place(word), prefersStandby: standby)
  }
}

/// The name of a new ledger, and the server.
struct NewServerLedgerOptions: NewLedgerOptions, ServerAccess {
  @Argument(help: "The name of the new ledger. There may be none of this name.")
  var ledger: String

  @Option(help: .connection)
  var connection: String?

  @Option(help: .schema)
  var schema = SchemaOptions.usualSchema

  func validate() throws { try checkConnection() }

  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary {
    try importer.makeLedger(at: place(ledger), from: archives)
  }
}

/// A ledger on a server that a command follows.
///
/// Reading it fails once it was removed from its tables, so there is nothing else to look for.
private struct PolledLedger: FollowedLedger {
  let changeCount: UInt32 = 0

  @available(*, noasync, message: "blocks the thread")
  func wait(since count: UInt32, timeout: Duration) {
    Thread.sleep(forTimeInterval: timeout / .seconds(1))
  }

  func check() {}
}
