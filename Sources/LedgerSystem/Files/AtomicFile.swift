internal import CLedgerSystem

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A file that is written piece by piece and appears under its name only when it is whole.
///
/// Until then it stands beside its place under another name; what is let go before is removed.
package struct AtomicFile: ~Copyable {
  private let path: String
  private let temporary: String
  private let descriptor: Int32
  private var byteCount = 0
  private var isFinished = false

  /// - Parameter mode: The permissions of the file, less the process's umask.
  package init(_ path: String, mode: UInt32 = 0o600) throws(SystemError) {
    let suffix = String(UInt64.random(in: .min ... .max), radix: 36)
    let temporary = FileSystem.temporaryName(for: path, suffix: suffix)
    descriptor = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: mode)
    self.path = path
    self.temporary = temporary
  }

  deinit {
    Descriptor.close(descriptor)
    if !isFinished { try? FileSystem.remove(temporary) }
  }

  /// Adds bytes at the end.
  package mutating func write(_ bytes: [UInt8]) throws(SystemError) {
    try Descriptor.write(bytes, to: descriptor, at: byteCount, path: temporary)
    byteCount += bytes.count
  }

  /// Puts the file in its place, instead of one that is there, durably once this has returned.
  package consuming func finish() throws(SystemError) {
    try SystemError.check(cledger_full_sync(descriptor), "fsync", path: temporary)
    try FileSystem.rename(temporary, to: path)
    isFinished = true
    try FileSystem.syncDirectory(FileSystem.parent(of: path))
  }

  /// Puts the file in its place durably, unless one is there already: that is never replaced.
  ///
  /// - Throws: `.exists` if what is there has other bytes; the same bytes are fine.
  package consuming func finishExclusively() throws(SystemError) {
    try SystemError.check(cledger_full_sync(descriptor), "fsync", path: temporary)
    do throws(SystemError) {
      try renameExclusively()
      isFinished = true
    } catch {
      guard error.code == .exists, try FileSystem.haveSameContent(temporary, path) else {
        throw error
      }
    }
    try FileSystem.syncDirectory(FileSystem.parent(of: path))
  }

  private func renameExclusively() throws(SystemError) {
    do throws(SystemError) {
      try FileSystem.renameExclusively(temporary, to: path)
    } catch {
      guard error.code == .notSupported else { throw error }
      // The file system can only look before.
      if FileSystem.exists(path) { throw SystemError(.exists, "rename", path: path) }
      try FileSystem.rename(temporary, to: path)
    }
  }

  /// Removes what killed processes left of files in a directory.
  ///
  /// - Parameter prefix: How the names of these files begin; nobody may be writing one now.
  package static func removeUnfinished(
    in directory: String, namePrefix prefix: String
  ) throws(SystemError) {
    for name in try FileSystem.list(directory)
    where name.hasPrefix(".\(prefix)") && name.contains(FileSystem.temporaryMark) {
      try FileSystem.remove("\(directory)/\(name)")
    }
  }
}
