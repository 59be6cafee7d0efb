public import LedgerRuntime

/// A ledger in memory, for tests that need no files. It disappears with its last reference.
///
/// All its sessions are in this process. Nothing is durable, and a session that was closed while frozen stays
/// frozen for others; everything else works as with files.
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

  /// Opens the ledger; each call creates a new session.
  ///
  /// - Throws: `LedgerError` with `invalidArgument` if the configuration has an invalid value.
  public func open(
    as role: SessionRole = .app, configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try await Ledger.open(
      { [store] () throws(LedgerError) in store }, UnwatchedSessions(), as: role,
      configuration: configuration)
  }
}
