package import LedgerRuntime

/// The options by which a tool opens several ledgers, each named by one word.
package protocol SharedOptions: PatienceOptions, Sendable {
  /// Whether a word names an archive, and no ledger.
  func isArchive(_ word: String) -> Bool

  /// Whether two words name the same ledger or archive.
  func areSame(_ word: String, _ other: String) -> Bool

  func open(_ word: String) throws -> BlockingInspector
}
