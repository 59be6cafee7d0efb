import LedgerSystem

/// A ledger that is looked at and not used.
///
/// Reading a ledger blocks a thread: everything here runs on a thread of the inspection's own, one request
/// after the other, and suspends its caller. Cancelling the task of the caller takes back what has not
/// begun; ``close()`` ends what has.
public final class LedgerInspector: Sendable {
  package let blocking: BlockingInspector
  private let executor: ThreadTaskExecutor

  /// The ledger's id.
  public var id: LedgerID { blocking.id }

  /// The version of its file format.
  public var formatVersion: UInt32 { blocking.formatVersion }

  /// When it was created.
  public var createdAt: Timestamp { blocking.createdAt }

  private init(_ blocking: BlockingInspector, executor: ThreadTaskExecutor) {
    self.blocking = blocking
    self.executor = executor
  }

  /// Opens a ledger for looking only, on the thread that will read it.
  package static func open(
    _ body: @escaping @Sendable () throws -> BlockingInspector
  ) async throws -> LedgerInspector {
    let executor = ThreadTaskExecutor(name: "ledger-look")
    return LedgerInspector(try await run(on: executor, body), executor: executor)
  }

  /// Lets go of the files. Later calls throw ``LedgerError/Code/closed``; closing twice is
  /// harmless. An inspection that is let go closes, too.
  ///
  /// It ends what is counted or replayed, and a verification that still looks at pages, with
  /// ``LedgerError/Code/closed``; a request that reads events, and an export, come to their ends first.
  public func close() {
    blocking.close()
  }

  func run<R: Sendable>(
    _ body: @escaping @Sendable (BlockingInspector) throws -> R
  ) async throws -> R {
    try await Self.run(on: executor) { [blocking] in try body(blocking) }
  }

  private static func run<R: Sendable>(
    on executor: ThreadTaskExecutor, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withTaskExecutorPreference(executor) { try await leavingCaller(body) }
  }

  /// Leaves the thread of the caller, also if that is an actor's.
  @concurrent private static func leavingCaller<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    return try body()
  }
}

extension LedgerInspector {
  /// The position of the last event.
  ///
  /// - Throws: ``LedgerError`` with `closed`, `corrupt`, `ioFailure`; `CancellationError`.
  public var head: Position {
    get async throws { try await run { try $0.head } }
  }

  /// The events after a position, at most about `limit`: the last frame is handed over whole.
  ///
  /// - Returns: None if there are none after `position`.
  /// - Throws: ``LedgerError`` with `corrupt` if the next event is damaged. One further on ends the
  ///   events that are handed over, so that none before it is lost. `CancellationError`.
  public func events(
    after position: Position = .start, limit: Int = 1_000
  ) async throws -> [LedgerEvent] {
    try await run { try $0.events(after: position, limit: limit) }
  }

  /// What is stored beside an event because it is large.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if it is damaged; with `eventsDeleted` if the event was
  ///   deleted meanwhile; `CancellationError`.
  public func attachment(of event: LedgerEvent) async throws -> [UInt8] {
    try await run { try $0.attachment(of: event) }
  }

  /// Replays the events.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, also meanwhile: begin another; `ioFailure`; `CancellationError`.
  /// - Complexity: O(events since the snapshot) in time, O(entities that they change) in memory.
  public func replay() async throws -> ReplayedLedger {
    try await run { try $0.replay() }
  }

  /// The state that the ledger was in when the event at `position` was the newest.
  ///
  /// It sees the ledger as it is when it begins, as ``replay()`` does. A state before the snapshot is
  /// rebuilt from the first event, and so only if no event was deleted.
  ///
  /// - Parameter position: The last event to be applied.
  /// - Throws: As ``replay()``; also ``LedgerError`` with `eventsDeleted` if the events that it takes were
  ///   deleted: ask for a later position, or import the archives of these events; with `invalidArgument`
  ///   if there is no such event.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  public func state(at position: Position) async throws -> ReplayedLedger {
    try await run { try $0.state(at: position) }
  }

  /// Counts what the ledger holds.
  ///
  /// It sees the ledger as it is when it begins, as ``replay()`` does.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` at damaged events: verify the ledger, and restore it from a
  ///   copy; with `closed` if the inspection is closed, also meanwhile: begin another; `ioFailure`;
  ///   `CancellationError`.
  /// - Complexity: O(events + entities + pages of the file) in time, O(entities that changed since the
  ///   snapshot) in memory.
  public func statistics() async throws -> LedgerStatistics {
    try await run { try $0.statistics() }
  }

  /// The digests of the events up to a position, and of what they came to.
  ///
  /// It sees the ledger as it is when it begins, as ``replay()`` does.
  ///
  /// - Parameter end: The last event; by default the newest.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with
  ///   `invalidArgument` if there is no such event; with `eventsDeleted` if it, and events after it, were
  ///   deleted: ask for a later position; with `closed` if the inspection is closed, also meanwhile: begin
  ///   another; `ioFailure`; `CancellationError`.
  /// - Complexity: O(events that are kept).
  public func digests(through end: Position? = nil) async throws -> LedgerDigests {
    try await run { try $0.digests(through: end) }
  }

  /// Writes an archive: a text that holds every event that is kept, and the snapshot that stands for
  /// the deleted ones, and that proves that nothing is missing.
  ///
  /// It sees the ledger as it is when it begins. Writers go on meanwhile, but space that they free is
  /// used again only when it is over. Some hundred events or records, or one large value, are in memory
  /// at a time.
  ///
  /// - Parameter sink: Gets the bytes of the archive, piece after piece, on the inspection's thread. It must
  ///   not read the ledger.
  /// - Throws: ``LedgerError`` with `corrupt`, or with `unsupportedEvent` for an event with bytes that
  ///   this build does not know; what `sink` throws; `CancellationError`. What was written so far is then
  ///   no archive: it has no last line.
  @discardableResult
  public func export(
    _ sink: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> ArchiveSummary {
    try await run { try $0.export(sink) }
  }
}

/// The digests of a ledger at one position.
public struct LedgerDigests: Sendable, Hashable {
  /// Of all events up to the position, those that were deleted included.
  public let log: LogDigest
  /// Of what they came to; `nil` if that state cannot be rebuilt any more.
  public let state: StateDigest?

  /// The position.
  public var position: Position { log.position }
}
