package import ArgumentParser
package import LedgerRuntime

/// The options of every command that reads one ledger: those of the tool.
///
/// The parser finds the options of a group by reflection, which shows those of the tool in the place of this group.
package struct ReadingOptions: LedgerOptions, CustomReflectable {
  private var own: any LedgerOptions

  package init() { own = Program.tool.ledgerOptions.init() }

  package init(from decoder: any Decoder) throws {
    own = try Program.tool.ledgerOptions.init(from: decoder)
  }

  package var customMirror: Mirror { Mirror(reflecting: own) }

  package var timeout: Double { own.timeout }

  package mutating func validate() throws { try own.validate() }

  package var words: LedgerWords { own.words }

  package func open(toWrite writes: Bool) throws -> BlockingInspector {
    try own.open(toWrite: writes)
  }

  package func openToFollow() throws -> (ledger: BlockingInspector, followed: any FollowedLedger) {
    try own.openToFollow()
  }

  package func openSession(_ configuration: LedgerConfiguration) async throws -> Ledger {
    try await own.openSession(configuration)
  }

  package func byteCount(of ledger: BlockingInspector) throws -> Int {
    try own.byteCount(of: ledger)
  }

  package func addSpace(of ledger: BlockingInspector, to report: inout Report) throws {
    try own.addSpace(of: ledger, to: &report)
  }

  package func checkForWriting(by writer: String) throws {
    try own.checkForWriting(by: writer)
  }

  package func check(output: String) throws { try own.check(output: output) }
}

/// The options of a command that reads several ledgers: those of the tool.
struct SharedAccessOptions: SharedOptions, CustomReflectable {
  private var own: any SharedOptions

  init() { own = Program.tool.sharedOptions.init() }

  init(from decoder: any Decoder) throws {
    own = try Program.tool.sharedOptions.init(from: decoder)
  }

  var customMirror: Mirror { Mirror(reflecting: own) }

  var timeout: Double { own.timeout }

  mutating func validate() throws { try own.validate() }

  func isArchive(_ word: String) -> Bool { own.isArchive(word) }

  func areSame(_ word: String, _ other: String) -> Bool { own.areSame(word, other) }

  func open(_ word: String) throws -> BlockingInspector { try own.open(word) }
}

/// The name of a new ledger, with the options of the tool.
struct MakingOptions: NewLedgerOptions, CustomReflectable {
  private var own: any NewLedgerOptions

  init() { own = Program.tool.newLedgerOptions.init() }

  init(from decoder: any Decoder) throws {
    own = try Program.tool.newLedgerOptions.init(from: decoder)
  }

  var customMirror: Mirror { Mirror(reflecting: own) }

  mutating func validate() throws { try own.validate() }

  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary {
    try own.makeLedger(from: archives, by: importer)
  }
}

/// The option of a command that reads no ledger.
struct PatienceOption: PatienceOptions {
  @Option(help: .timeout)
  var timeout = 30.0
}

extension ArgumentHelp {
  /// The help of the option that each ``PatienceOptions`` has.
  package static let timeout = ArgumentHelp(
    "How long the command may make no progress before it is ended.", valueName: "seconds")
}

/// The options of every command whose output has a format.
package struct FormatOptions: ParsableArguments {
  @Option(help: "The format of the output.")
  package var format: OutputFormat = .table

  package init() {}
}
