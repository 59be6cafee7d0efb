package import LedgerSystem
import Synchronization

/// A directory that is removed when its last reference is released.
///
/// It is locked for its whole lifetime. So the first directory that a process makes in a place can remove
/// those that killed processes left there, and no others.
package final class TemporaryDirectory: Sendable {
  private static let name = "promise-ledger-tests"
  /// The places where this process has removed leftover directories.
  private static let tidied = Mutex<Set<String>>([])

  package let path: String
  private let handle: DirectoryHandle

  /// Makes a directory.
  ///
  /// - Parameter place: The parent directory for temporary files.
  /// - Throws: `SystemError` if the directory cannot be made there.
  package init(in place: String = "/tmp") throws(SystemError) {
    let parent = try DirectoryHandle(place)
    if Self.tidied.withLock({ $0.insert(place).inserted }) {
      // A leftover that cannot be removed is harmless.
      try? Self.removeLeftovers(in: parent)
    }
    while true {
      let name = try parent.createUniqueDirectory(for: Self.name)
      guard let made = try Self.locked(name, in: parent) else { continue }
      handle = made
      path = parent.path(of: name)
      return
    }
  }

  deinit { try? FileSystem.removeTree(path) }

  /// Removes the directories of processes that are gone.
  ///
  /// Directories of other users stay.
  static func removeLeftovers(in place: borrowing DirectoryHandle) throws(SystemError) {
    for name in try place.temporaryNames(for: Self.name) {
      // A directory that may not be read, or has disappeared, is skipped.
      guard let left = try? Self.locked(name, in: place), (try? left.facts.isOurs) == true
      else { continue }
      try? place.removeTree(name)
    }
  }

  /// Opens and locks a directory.
  ///
  /// - Returns: `nil` if another process locked or removed it.
  private static func locked(
    _ name: String, in place: borrowing DirectoryHandle
  ) throws(SystemError) -> DirectoryHandle? {
    do throws(SystemError) {
      let handle = try place.directory(name)
      guard try handle.tryLock(), try place.facts(of: name)?.identity == handle.facts.identity
      else { return nil }
      return handle
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
