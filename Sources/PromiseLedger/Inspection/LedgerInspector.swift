import LedgerLMDB

extension Ledger {
  /// Opens a ledger for looking only: no session, no event, no signal, no consumption.
  ///
  /// - Parameters:
  ///   - path: The directory of the ledger.
  ///   - locking: Whether the reader registers in LMDB's lock file. Without it a directory can be
  ///     read that this process may not write to; while another process writes, what is read may
  ///     then change underneath, so use it only on a ledger that nobody has open.
  /// - Throws: ``LedgerError`` with `notALedger`, `incompatibleFormat`, `corrupt`,
  ///   `permissionDenied`, `ioFailure`.
  public static func inspect(
    at path: String, locking: Bool = true
  ) throws(LedgerError) -> LedgerInspector {
    try LedgerInspector(LedgerDirectory(path), locking: locking)
  }
}

/// A ledger that is looked at and not used.
public final class LedgerInspector: Sendable {
  private let environment: Environment
  private let metadata: LedgerMetadata

  /// The ledger's id.
  public var id: LedgerID { metadata.ledgerID }

  /// The version of its file format.
  public var formatVersion: UInt32 { metadata.formatVersion }

  /// When it was created.
  public var createdAt: Timestamp { metadata.createdAt }

  init(_ directory: LedgerDirectory, locking: Bool) throws(LedgerError) {
    let generation = try directory.readCurrentGeneration()
    let access: Configuration.Access = locking ? .readOnly : .readOnlyWithoutLock
    do throws(LMDBError) {
      environment = try Environment.open(
        at: directory.generation(generation), configuration: Configuration(access: access),
        tables: LMDBLog.tables)
    } catch {
      throw LedgerError(error)
    }
    metadata = try LMDBLog(environment).metadata()
  }

  /// The position of the last event.
  public var head: Position {
    get throws(LedgerError) { try LMDBLog(environment).head() }
  }

  /// The events after a position, at most about `limit`: the last frame is handed over whole.
  ///
  /// - Returns: None if there are none after `position`.
  /// - Throws: ``LedgerError`` with `corrupt` if the next event is damaged. One further on ends the
  ///   events that are handed over, so that none before it is lost.
  public func events(
    after position: Position = .start, limit: Int = 1_000
  ) throws(LedgerError) -> [LedgerEvent] {
    var events: [LedgerEvent] = []
    do throws(LedgerError) {
      _ = try LMDBLog(environment).read(after: position, limit: limit) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { event in
          events.append(LedgerEvent(copying: event))
        }
      }
    } catch {
      guard error.code == .corrupt, !events.isEmpty else { throw error }
    }
    return events
  }

  /// What is stored beside an event because it is large.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if it is damaged.
  public func attachment(of event: LedgerEvent) throws(LedgerError) -> [UInt8] {
    guard event.attachmentByteCount > 0 else { return [] }
    return try LMDBLog(environment).attachment(
      of: event.position, byteCount: event.attachmentByteCount)
  }
}
