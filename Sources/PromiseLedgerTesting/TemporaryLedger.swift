import LedgerSystem
public import PromiseLedger

/// A directory for a ledger that is gone when the last reference is.
///
/// If its process is killed, the next process that makes one in the same place removes it.
///
/// ```swift
/// let temporary = try TemporaryLedger()
/// let app = try await temporary.open(as: .app)
/// let worker = try await temporary.open(as: .appExtension)
/// ```
public final class TemporaryLedger: Sendable {
  private let parent: TemporaryDirectory

  /// The path of the ledger; nothing is there until it is opened.
  public let path: String

  /// Makes a directory beside which nothing else is.
  ///
  /// - Parameter directory: Where temporary files may go.
  /// - Throws: ``LedgerError`` with `ioFailure` or `permissionDenied`.
  public init(in directory: String = "/tmp") throws(LedgerError) {
    do throws(SystemError) {
      parent = try TemporaryDirectory(in: directory)
    } catch {
      throw LedgerError(
        .ioFailure, "A temporary directory cannot be made in \(directory).", cause: error)
    }
    path = parent.path + "/ledger"
  }

  /// Opens the ledger; each call is a session of its own.
  public func open(
    as role: SessionRole = .app, configuration: LedgerConfiguration = LedgerConfiguration()
  ) async throws -> Ledger {
    try await Ledger.open(at: path, as: role, configuration: configuration)
  }
}
