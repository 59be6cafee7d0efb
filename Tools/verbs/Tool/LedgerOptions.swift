package import LedgerRuntime

/// The options by which a tool names one ledger, and what it does with that ledger.
package protocol LedgerOptions: PatienceOptions, Sendable {
  /// How a command line names the ledger.
  var words: LedgerWords { get }

  /// Opens the ledger for reading.
  ///
  /// - Parameter writes: Whether the command writes to the ledger afterwards.
  func open(toWrite writes: Bool) throws -> BlockingInspector

  /// Opens the ledger in order to follow it.
  func openToFollow() throws -> (ledger: BlockingInspector, followed: any FollowedLedger)

  /// Opens the ledger in a session with the role operator.
  func openSession(_ configuration: LedgerConfiguration) async throws -> Ledger

  /// The size of the ledger's data, in bytes.
  func byteCount(of ledger: BlockingInspector) throws -> Int

  /// Adds the space that the ledger takes, and who uses it.
  func addSpace(
    of ledger: BlockingInspector, to report: inout Report, _ sink: any TextSink
  ) throws

  /// Refuses options that are only for reading.
  ///
  /// - Parameter writer: What writes, at the beginning of a sentence.
  func checkForWriting(by writer: String) throws

  /// Refuses a file of a user whose place is within the ledger.
  func check(output: String) throws
}

extension LedgerOptions {
  package func open() throws -> BlockingInspector { try open(toWrite: false) }

  package func checkForWriting() throws { try checkForWriting(by: "A command") }

  /// Runs `body` on the ledger in a session with the role operator, which is closed afterwards.
  ///
  /// - Parameter reason: The reason for what it does, which the log shows as the instance of the session.
  package func withOperator<R: Sendable>(
    reason: String? = nil, _ body: (Ledger) async throws -> R
  ) async throws -> R {
    var configuration = LedgerConfiguration()
    if let reason, !reason.isEmpty { configuration.instance = TextLimit.instance.fitting(reason) }
    let ledger = try await openSession(configuration)
    do {
      let result = try await body(ledger)
      await ledger.close()
      return result
    } catch {
      await ledger.close()
      throw error
    }
  }
}
