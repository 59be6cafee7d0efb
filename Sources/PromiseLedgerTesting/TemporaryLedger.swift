import LedgerSystem
public import PromiseLedger

/// A directory for a ledger, which is removed when its last reference is released.
///
/// If its process is killed, the next process that makes a temporary ledger in the same place removes it.
///
/// ```swift
/// let temporary = try TemporaryLedger()
/// let app = try await temporary.open(as: .app)
/// let worker = try await temporary.open(as: .appExtension)
/// ```
public final class TemporaryLedger: Sendable {
  private let parent: TemporaryDirectory

  /// The path of the ledger; nothing exists there until it is opened.
  public let path: String

  /// Makes a new directory for the ledger.
  ///
  /// - Parameter directory: The parent directory for temporary files.
  /// - Throws: `LedgerError` with `ioFailure` or `permissionDenied`.
  public init(in directory: String = "/tmp") throws(LedgerError) {
    do throws(SystemError) {
      parent = try TemporaryDirectory(in: directory)
    } catch {
      throw LedgerError(
        .ioFailure, "A temporary directory cannot be made in \(directory).", cause: error)
    }
    path = parent.path + "/ledger"
  }

  /// Opens the ledger; each call creates a new session.
  public func open(
    as role: SessionRole = .app, configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try await Ledger.open(at: path, as: role, configuration: configuration)
  }
}
