import LedgerSystem

/// Read-only access to a ledger, without a session.
///
/// Reading a ledger blocks a thread. So all requests run on the inspector's own thread, one after another,
/// and suspend their callers. A request whose task was cancelled before its turn throws when its turn comes;
/// ``close()`` ends some of those that have begun.
public final class LedgerInspector: Sendable {
  package let blocking: BlockingInspector
  private let executor: ThreadTaskExecutor

  /// The ledger's id.
  public var id: LedgerID { blocking.id }

  /// The version of its file format.
  public var formatVersion: UInt32 { blocking.formatVersion }

  /// The time of its creation.
  public var createdAt: Timestamp { blocking.createdAt }

  private init(_ blocking: BlockingInspector, executor: ThreadTaskExecutor) {
    self.blocking = blocking
    self.executor = executor
  }

  /// Opens a ledger for inspection only, on the thread that will read it.
  package static func open(
    _ body: @escaping @Sendable () throws -> BlockingInspector
  ) async throws -> LedgerInspector {
    let executor = ThreadTaskExecutor(name: "ledger-look")
    return LedgerInspector(try await run(on: executor, body), executor: executor)
  }

  /// Closes the files.
  ///
  /// Later calls throw ``LedgerError/Code/closed``; closing twice is harmless. An inspector also
  /// closes when its last reference is released, and that of every ``ReplayedLedger`` that it made.
  ///
  /// It ends counts, replays, and a verification that is still checking pages, with
  /// ``LedgerError/Code/closed``; a request that is reading events, and an export, finish first, and this
  /// call blocks its thread until they have. So do not call it on a thread that the `sink` of an export or
  /// the `report` of a verification waits for.
  public func close() {
    blocking.close()
  }

  /// Runs `body` on the thread that reads the ledger.
  package func run<R: Sendable>(
    _ body: @escaping @Sendable (BlockingInspector) throws -> R
  ) async throws -> R {
    try await Self.run(on: executor) { [blocking] in try body(blocking) }
  }

  private static func run<R: Sendable>(
    on executor: ThreadTaskExecutor, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withTaskExecutorPreference(executor) { try await leavingCaller(body) }
  }

  /// Leaves the thread of the caller, even if the caller is an actor.
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

  /// The events after a position, about `limit` at most: the last frame is returned whole.
  ///
  /// - Returns: An empty array if no event follows `position`.
  /// - Throws: ``LedgerError`` with `corrupt` if the next event is damaged. A damaged event further on ends
  ///   the result, so no event before it is lost. `CancellationError`.
  public func events(
    after position: Position = .start, limit: Int = 1_000
  ) async throws -> [LedgerEvent] {
    try await run { try $0.events(after: position, limit: limit) }
  }

  /// The value that is stored beside an event because it is large.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` if it is damaged; with `eventsDeleted` if the event was
  ///   deleted meanwhile; `CancellationError`.
  public func attachment(of event: LedgerEvent) async throws -> [UInt8] {
    try await run { try $0.attachment(of: event) }
  }

  /// Replays the events.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with `closed`
  ///   if the inspection is closed, even during the call: begin another; `ioFailure`; `CancellationError`.
  /// - Complexity: O(events since the snapshot) in time, O(entities that they change) in memory.
  public func replay() async throws -> ReplayedLedger {
    try await run { try $0.replay() }
  }

  /// The state of the ledger as of the event at `position`.
  ///
  /// It sees the ledger as it was when it began, as ``replay()`` does. A state before the snapshot is rebuilt
  /// from the first event, which requires that no event was deleted.
  ///
  /// - Parameter position: The last event to apply.
  /// - Throws: As ``replay()``; also ``LedgerError`` with `eventsDeleted` if the events that it needs were
  ///   deleted: ask for a later position, or import the archives of these events; with `invalidArgument` if
  ///   there is no such event.
  /// - Complexity: O(events applied) in time, O(entities that they change) in memory.
  public func state(at position: Position) async throws -> ReplayedLedger {
    try await run { try $0.state(at: position) }
  }

  /// Counts the events, entities and bytes of the ledger.
  ///
  /// It sees the ledger as it was when it began, as ``replay()`` does.
  ///
  /// - Throws: ``LedgerError`` with `corrupt` at damaged events: verify the ledger, and restore it from a
  ///   copy; with `closed` if the inspection is closed, even during the call: begin another; `ioFailure`;
  ///   `CancellationError`.
  /// - Complexity: O(events + entities + pages of the file) in time, O(entities that changed since the
  ///   snapshot) in memory.
  public func statistics() async throws -> LedgerStatistics {
    try await run { try $0.statistics() }
  }

  /// The digests of the events up to a position, and of the state that they result in.
  ///
  /// It sees the ledger as it was when it began, as ``replay()`` does.
  ///
  /// - Parameter end: The last event; by default the newest.
  /// - Throws: ``LedgerError`` with `corrupt`: verify the ledger, and restore it from a copy; with
  ///   `invalidArgument` if there is no such event; with `eventsDeleted` if that event and events after it
  ///   were deleted: ask for a later position; with `closed` if the inspection is closed, even during the
  ///   call: begin another; `ioFailure`; `CancellationError`.
  /// - Complexity: O(events that are kept).
  public func digests(through end: Position? = nil) async throws -> LedgerDigests {
    try await run { try $0.digests(through: end) }
  }

  /// Writes an archive: a text with every event that is kept and the snapshot that stands for the deleted
  /// ones. It proves that nothing is missing.
  ///
  /// It sees the ledger as it was when it began. Writers continue meanwhile, but the space that they free is
  /// reused only after it finishes. Memory holds a few hundred events or records, or one large value, at a
  /// time.
  ///
  /// - Parameter sink: Receives the bytes of the archive, piece by piece, on the inspection's thread. It must
  ///   not read the ledger.
  /// - Throws: ``LedgerError`` with `corrupt`, or with `unsupportedEvent` for an event with bytes that this
  ///   build does not know; any error that `sink` throws; `CancellationError`. The output is then not an
  ///   archive, because it has no last line.
  @discardableResult
  public func export(
    _ sink: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws -> ArchiveSummary {
    try await run { try $0.export(sink) }
  }
}

/// The digests of a ledger at one position.
public struct LedgerDigests: Sendable, Hashable {
  /// The digest of all events up to the position, including deleted ones.
  public let log: LogDigest
  /// The digest of the state that they result in; `nil` if that state can no longer be rebuilt.
  public let state: StateDigest?

  /// The position.
  public var position: Position { log.position }
}
