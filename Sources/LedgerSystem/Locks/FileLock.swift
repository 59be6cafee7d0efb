import CLedgerSystem
import LedgerLibC
import Synchronization

/// A lock between processes, on a file of its own, that the kernel drops when its holder dies.
///
/// It is `flock(2)`: it belongs to this object's descriptor. Two objects therefore exclude each
/// other within one process too, and opening and closing the file elsewhere does not drop the lock
/// (as it would drop an `fcntl` lock). Programs started by this process do not inherit it. A forked
/// copy that does not start a program does, and then keeps the lock alive. Not for network file
/// systems.
package final class FileLock: Sendable {
  /// The other holders that a held lock admits.
  package enum Kind: Sendable, Hashable {
    /// No other holder.
    case exclusive
    /// Other shared holders.
    case shared
  }

  private struct State {
    var descriptor: Int32?
    var held: Kind?
  }

  /// The lock's file.
  package let path: String
  private let state: Mutex<State>

  private init(path: String, descriptor: Int32) {
    self.path = path
    state = Mutex(State(descriptor: descriptor, held: nil))
  }

  deinit { close() }

  /// Opens the lock's file, and creates it if needed, without locking it.
  ///
  /// A file that root creates belongs to the owner of its directory.
  ///
  /// - Parameter mode: The permissions of a file that has to be created, less the process's umask.
  package static func open(
    _ path: String, createWithMode mode: UInt32 = 0o600
  ) throws(SystemError) -> FileLock {
    FileLock(path: path, descriptor: try Descriptor.openShared(path, O_RDWR, mode: mode))
  }

  /// Opens the lock's file in a directory, and creates it if needed, without locking it.
  package static func open(
    _ name: String, in directory: borrowing DirectoryHandle, createWithMode mode: UInt32 = 0o600
  ) throws(SystemError) -> FileLock {
    FileLock(
      path: directory.path(of: name),
      descriptor: try directory.openShared(name, O_RDWR, mode: mode))
  }

  /// The kind of lock that this object holds, if any.
  package var held: Kind? { state.withLock { $0.held } }

  /// Takes the lock if that needs no waiting.
  ///
  /// - Returns: Whether it was taken; always false if this object already holds it, of any kind.
  /// - Throws: `SystemError` of `flock`; `.closed` after `close()`.
  package func tryLock(_ kind: Kind = .exclusive) throws(SystemError) -> Bool {
    try withDescriptor("flock") { (descriptor, held) throws(SystemError) in
      if held != nil { return false }
      guard try Descriptor.tryLock(descriptor, isExclusive: kind == .exclusive, path: path)
      else { return false }
      held = kind
      return true
    }
  }

  /// Whether the file still has a name. A lock on a file that was removed excludes no other process.
  package var isNamed: Bool {
    get throws(SystemError) {
      try withDescriptor("fstat") { (descriptor, _) throws(SystemError) in
        try FileFacts(of: descriptor, path: path).nameCount > 0
      }
    }
  }

  /// Gives the lock back; harmless if it is not held.
  package func unlock() {
    state.withLock { state in
      guard let descriptor = state.descriptor, state.held != nil else { return }
      // Cannot fail on an open descriptor: EINTR is retried, and it allocates nothing.
      _ = cledger_flock_release(descriptor)
      state.held = nil
    }
  }

  /// Gives the lock back and closes the file. Calling it again is harmless.
  package func close() {
    state.withLock { state in
      guard let descriptor = state.descriptor else { return }
      _ = cledger_flock_release(descriptor)
      Descriptor.close(descriptor)
      state = State(descriptor: nil, held: nil)
    }
  }

  /// Replaces the file's content: a note about the holder for other processes. It is not durable.
  ///
  /// The content and its length change in two steps, so a reader may see one without the other.
  package func writeContents(_ bytes: [UInt8]) throws(SystemError) {
    try withDescriptor("pwrite") { (descriptor, _) throws(SystemError) in
      try Descriptor.write(bytes, to: descriptor, path: path)
      if ftruncate(descriptor, off_t(bytes.count)) == -1 {
        throw SystemError.last("ftruncate", path: path)
      }
    }
  }

  /// The first `maximum` bytes of the file.
  package func readContents(maximum: Int) throws(SystemError) -> [UInt8] {
    try withDescriptor("pread") { (descriptor, _) throws(SystemError) in
      try Descriptor.read(from: descriptor, maximumBytes: maximum, path: path)
    }
  }

  /// The first `maximum` bytes of a file in a directory, or `nil` if another object holds the lock
  /// exclusively.
  ///
  /// The read holds a shared lock, so a writer that takes the lock exclusively cannot change the
  /// content meanwhile. During that instant an exclusive ``tryLock(_:)`` fails, so a program should
  /// try a few times to take a lock that others probe.
  package static func contentsUnlessHeld(
    _ name: String, in directory: borrowing DirectoryHandle, maximum: Int
  ) throws(SystemError) -> [UInt8]? {
    let path = directory.path(of: name)
    // Does not wait for a writer if the file is a pipe.
    let descriptor = try directory.openEntry(name, O_RDONLY | O_NONBLOCK)
    // Closing also releases the lock.
    defer { Descriptor.close(descriptor) }
    guard try Descriptor.tryLock(descriptor, isExclusive: false, path: path) else { return nil }
    return try Descriptor.read(from: descriptor, maximumBytes: maximum, path: path)
  }

  /// Removes a lock's file in a directory, unless another object holds the lock exclusively.
  ///
  /// It holds a shared lock meanwhile. An object that opened the file before, and locks it
  /// afterwards, finds that the file has no name; see ``isNamed``.
  ///
  /// - Returns: Whether it was removed.
  package static func removeUnlessHeld(
    _ name: String, in directory: borrowing DirectoryHandle
  ) throws(SystemError) -> Bool {
    let path = directory.path(of: name)
    let descriptor = try directory.openRegular(name, O_RDONLY)
    defer { Descriptor.close(descriptor) }
    guard try Descriptor.tryLock(descriptor, isExclusive: false, path: path) else { return false }
    let locked = try FileFacts(of: descriptor, path: path).identity
    guard try directory.facts(of: name)?.identity == locked else { return false }
    try directory.remove(name)
    return true
  }

  private func withDescriptor<R: Sendable>(
    _ operation: String,
    _ body: (Int32, inout Kind?) throws(SystemError) -> R
  ) throws(SystemError) -> R {
    try state.withLock { (state) throws(SystemError) in
      guard let descriptor = state.descriptor else {
        throw SystemError(.closed, operation, path: path)
      }
      return try body(descriptor, &state.held)
    }
  }
}
