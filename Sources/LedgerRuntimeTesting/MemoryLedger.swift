public import LedgerRuntime

/// A ledger in memory that is gone when the last reference is, for tests that need no files.
///
/// Its sessions are all in this process. Nothing is durable, and a session that was closed while it was
/// frozen stays frozen for others; everything else is as in a file.
///
/// ```swift
/// let memory = MemoryLedger()
/// let app = try await memory.open(as: .app)
/// let worker = try await memory.open(as: .appExtension)
/// ```
public final class MemoryLedger: Sendable {
  private let store = InMemoryEventStore()

  /// Makes an empty ledger.
  public init() {}

  /// Opens the ledger; each call is a session of its own.
  ///
  /// - Throws: ``LedgerError`` with `invalidArgument` if the configuration has a value that cannot be.
  public func open(
    as role: SessionRole = .app, configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: role,
      configuration: configuration)
  }
}
