import CLedgerSystem
import LedgerLibC
import Synchronization

/// A page of 32-bit words that several processes map, change atomically and sleep on.
///
/// Any content is legal. The caller defines what the words mean, and must expect any content that a
/// killed process, or a bad disk, left in them. After `close()` every operation does nothing and
/// reads 0.
@safe
package final class SharedWords: @unchecked Sendable {
  // Unchecked because of the pointer: `withWord` and `close` keep it valid while it is in use, and
  // only atomic instructions touch its words.
  private let words: UnsafeMutablePointer<UInt32>
  private let descriptor: Int32

  /// The number of operations in progress, and `closedBit`.
  private let users = Atomic<UInt64>(0)
  private static let closedBit: UInt64 = 1 << 63

  /// The indexes that threads of this process sleep on now, so that `close` can wake them.
  private let sleepers = Mutex<[Int]>([])
  private let isUnmapped = Mutex(false)

  /// The number of words: one page of 4 KiB.
  package static let count = 1024
  private static let byteCount = 4096

  /// Maps the file, and creates or lengthens it if needed.
  ///
  /// - Parameter mode: The permissions of a file that has to be created, less the process's umask.
  /// - Throws: `SystemError` of `open`, `posix_fallocate` (no space) or `mmap`.
  package init(path: String, createWithMode mode: UInt32 = 0o600) throws(SystemError) {
    let descriptor = try Descriptor.openShared(path, O_RDWR, mode: mode)
    do throws(SystemError) {
      try SystemError.check(
        cledger_reserve(descriptor, Int64(Self.byteCount)), "posix_fallocate", path: path)
      let address = unsafe mmap(
        nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
      guard let address = unsafe address, unsafe address != MAP_FAILED else {
        throw SystemError.last("mmap", path: path)
      }
      unsafe words = address.bindMemory(to: UInt32.self, capacity: Self.count)
    } catch {
      Descriptor.close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  deinit { close() }

  /// Whether `close()` was called.
  package var isClosed: Bool { users.load(ordering: .acquiring) & Self.closedBit != 0 }

  /// Wakes the threads of this process that sleep here, unmaps the page and closes the file.
  ///
  /// When it returns, no operation uses the page any more. Calling it again is harmless.
  package func close() {
    users.bitwiseOr(Self.closedBit, ordering: .sequentiallyConsistent)
    isUnmapped.withLock { unmapped in
      if unmapped { return }
      // Repeated, because a thread may have checked `isClosed` but not yet fallen asleep.
      while users.load(ordering: .acquiring) != Self.closedBit {
        let indexes = sleepers.withLock { $0 }
        for index in indexes { unsafe cledger_word_wake(words + index, true) }
        pauseThread(for: .microseconds(50))
      }
      unsafe munmap(words, Self.byteCount)
      Descriptor.close(descriptor)
      unmapped = true
    }
  }

  /// The word's value.
  package func load(_ index: Int) -> UInt32 {
    unsafe withWord(index) { unsafe cledger_word_load($0) } ?? 0
  }

  /// Sets the word.
  package func store(_ value: UInt32, to index: Int) {
    _ = unsafe withWord(index) { unsafe cledger_word_store($0, value) }
  }

  /// Sets the word and returns its old value.
  package func exchange(_ value: UInt32, at index: Int) -> UInt32 {
    unsafe withWord(index) { unsafe cledger_word_exchange($0, value) } ?? 0
  }

  /// Sets the word if it has the expected value; returns whether it had.
  package func compareExchange(_ expected: UInt32, _ value: UInt32, at index: Int) -> Bool {
    unsafe withWord(index) { unsafe cledger_word_compare_exchange($0, expected, value) } ?? false
  }

  /// Adds to the word, wrapping around, and returns its old value.
  @discardableResult
  package func add(_ amount: UInt32, to index: Int) -> UInt32 {
    unsafe withWord(index) { unsafe cledger_word_add($0, amount) } ?? 0
  }

  /// The reason why a wait ended.
  package enum WaitResult: Sendable, Hashable {
    /// The word's sleepers were woken, perhaps for no reason.
    case woken
    /// The word did not have the expected value.
    case changed
    /// The timeout passed.
    case timedOut
    /// A signal arrived.
    case interrupted
    /// The words were closed before or during the wait.
    case closed
  }

  /// Sleeps while the word has this value, until its sleepers are woken.
  @available(*, noasync, message: "blocks the thread")
  package func wait(on index: Int, while value: UInt32, timeout: Duration) -> WaitResult {
    let nanoseconds = timeout.clampedNanoseconds
    let code = unsafe withWord(index) { word in
      sleepers.withLock { $0.append(index) }
      defer { forgetSleeper(on: index) }
      // Checked after entering the list: either `close` sees the list, or `close` is seen here.
      return isClosed ? EINTR : unsafe cledger_word_wait(word, value, nanoseconds, true)
    }
    if isClosed { return .closed }
    switch code {
    case EAGAIN: return .changed
    case ETIMEDOUT: return .timedOut
    case EINTR: return .interrupted
    default: return .woken
    }
  }

  /// Wakes every thread, in any process, that sleeps on the word.
  package func wakeAll(_ index: Int) {
    _ = unsafe withWord(index) { unsafe cledger_word_wake($0, true) }
  }

  private func forgetSleeper(on index: Int) {
    sleepers.withLock { indexes in
      if let at = indexes.firstIndex(of: index) { indexes.remove(at: at) }
    }
  }

  /// Runs `body` with the word's address, or returns nil if the page is closed.
  private func withWord<R>(_ index: Int, _ body: (UnsafeMutablePointer<UInt32>) -> R) -> R? {
    precondition(index >= 0 && index < Self.count)
    let before = users.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
    defer { users.wrappingSubtract(1, ordering: .releasing) }
    if before & Self.closedBit != 0 { return nil }
    return unsafe body(words + index)
  }
}
