import LedgerSystem
import LedgerVerbs

/// The directory of a ledger that a command follows, which may be removed or replaced meanwhile.
///
/// Files that are open can be read after they were removed, so reading them does not show that the ledger is gone, or
/// that another one has its place.
final class FollowedDirectory: Sendable {
  private let path: String
  /// While it is open, no other directory has its identity.
  private let directory: DirectoryHandle

  /// - Parameter path: A path that leads to the directory.
  init(_ path: String) throws(Status.Failure) {
    self.path = path
    do throws(SystemError) {
      directory = try DirectoryHandle(reaching: path)
    } catch {
      throw Status.Failure(error)
    }
  }

  /// - Throws: ``Status/Failure`` if the directory was removed or replaced.
  func check() throws {
    do throws(SystemError) {
      guard try FileSystem.identity(path) != directory.facts.identity else { return }
    } catch {
      guard error.code == .notFound || error.code == .notDirectory else {
        throw Status.Failure(error)
      }
      throw Status.Failure(
        .notFound, "The ledger \(path.escapingControlCharacters) was removed while it was shown.")
    }
    throw Status.Failure(
      .corrupt,
      "The ledger \(path.escapingControlCharacters) was replaced while it was shown. Start the command again."
    )
  }
}
