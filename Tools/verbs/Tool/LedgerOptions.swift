package import ArgumentParser
package import LedgerRuntime

/// Options of a command that works in a process of its own.
///
/// A group of options contains no other one: a build for debugging has the parser check a group five times for each
/// time that it checks the group around it, at every start.
package protocol PatienceOptions: ParsableArguments {
  /// How long the command may make no progress, in seconds.
  var timeout: Double { get }
}

extension PatienceOptions {
  /// How often silent work shows that it is still running: well within the timeout.
  package var pulseInterval: Duration { .seconds(min(1, timeout / 4)) }

  package func validate() throws { try checkTimeout() }

  package func checkTimeout() throws {
    guard timeout >= 0.1, timeout <= 86_400 else {
      throw ValidationError("The timeout must be between 0.1 and 86400 seconds.")
    }
  }
}

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
  func addSpace(of ledger: BlockingInspector, to report: inout Report) throws

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

/// The options by which a tool opens several ledgers, each named by one word.
package protocol SharedOptions: PatienceOptions, Sendable {
  /// Whether a word names an archive, and no ledger.
  func isArchive(_ word: String) -> Bool

  /// Whether two words name the same ledger or archive.
  func areSame(_ word: String, _ other: String) -> Bool

  func open(_ word: String) throws -> BlockingInspector
}

/// The options by which a tool names a new ledger.
package protocol NewLedgerOptions: ParsableArguments, Sendable {
  /// Makes the ledger from archives.
  func makeLedger(
    from archives: [String], by importer: LedgerImport
  ) throws(LedgerError) -> ArchiveSummary
}

/// A ledger that a command follows. It may be removed or replaced meanwhile.
package protocol FollowedLedger: Sendable {
  /// The number of changes so far, as far as it is known. Read it before looking; pass it to `wait`.
  var changeCount: UInt32 { get }

  /// Sleeps until something may have changed since `count` was read, at most as long as `timeout`.
  @available(*, noasync, message: "blocks the thread")
  func wait(since count: UInt32, timeout: Duration)

  /// - Throws: ``Status/Failure`` if the ledger was removed or replaced.
  func check() throws
}
