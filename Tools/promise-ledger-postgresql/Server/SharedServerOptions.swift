import ArgumentParser
import Foundation
import LedgerVerbs
import PromiseLedgerPostgreSQL

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
