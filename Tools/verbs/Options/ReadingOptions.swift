import ArgumentParser
import LedgerRuntime

/// The options of every command that reads one ledger: those of the tool.
///
/// The parser finds the options of a group by reflection, which shows those of the tool in the place of this group.
struct ReadingOptions: LedgerOptions, CustomReflectable {
  private var own: any LedgerOptions

  init() { own = Program.tool.ledgerOptions.init() }

  init(from decoder: any Decoder) throws {
    own = try Program.tool.ledgerOptions.init(from: decoder)
  }

  var customMirror: Mirror { Mirror(reflecting: own) }

  var timeout: Double { own.timeout }

  mutating func validate() throws { try own.validate() }

  var words: LedgerWords { own.words }

  func open(toWrite writes: Bool) throws -> BlockingInspector {
    try own.open(toWrite: writes)
  }

  func openToFollow() throws -> (ledger: BlockingInspector, followed: any FollowedLedger) {
    try own.openToFollow()
  }

  func openSession(_ configuration: LedgerConfiguration) async throws -> Ledger {
    try await own.openSession(configuration)
  }

  func byteCount(of ledger: BlockingInspector) throws -> Int {
    try own.byteCount(of: ledger)
  }

  func addSpace(
    of ledger: BlockingInspector, to report: inout Report, _ sink: any TextSink
  ) throws {
    try own.addSpace(of: ledger, to: &report, sink)
  }

  func checkForWriting(by writer: String) throws {
    try own.checkForWriting(by: writer)
  }

  func check(output: String) throws { try own.check(output: output) }
}
