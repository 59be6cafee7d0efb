import CLedgerSystem
import Synchronization

/// A thread of the operating system, for work that must stay on one thread or may block it.
///
/// Dropping the object does not stop the thread; it runs until its body returns.
package final class SystemThread: Sendable {
  private let handle: UInt
  private let isJoined = Mutex(false)

  private init(handle: UInt) { self.handle = handle }

  deinit {
    let joined = isJoined.withLock { $0 }
    if !joined { cledger_thread_detach(handle) }
  }

  /// Starts a thread that runs `body` once.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers and crash reports; Linux keeps the first 15 bytes.
  ///   - stackSizeInBytes: At least the platform's minimum (16 KiB or more).
  /// - Throws: `SystemError` of `pthread_create`: out of memory or of threads, stack too small.
  package static func start(
    name: String,
    stackSizeInBytes: Int = 512 * 1024,
    _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> SystemThread {
    let context = unsafe Unmanaged.passRetained(Body(name: name, run: body))
    var handle: UInt = 0
    let code = unsafe cledger_thread_start(
      &handle, stackSizeInBytes, runBody, context.toOpaque())
    if code != 0 { unsafe context.release() }
    try SystemError.check(code, "pthread_create")
    return SystemThread(handle: handle)
  }

  /// Waits until the body has returned. Every caller waits. Calling it twice is harmless, and on
  /// the thread itself it returns at once.
  @available(*, noasync, message: "blocks the thread")
  package func join() {
    if isCurrent { return }
    isJoined.withLock { joined in
      if joined { return }
      joined = true
      _ = cledger_thread_join(handle)
    }
  }

  /// Whether the caller runs on this thread.
  package var isCurrent: Bool { cledger_thread_is_current(handle) }
}

private final class Body: Sendable {
  let name: String
  let run: @Sendable () -> Void

  init(name: String, run: @escaping @Sendable () -> Void) {
    self.name = name
    self.run = run
  }
}

/// The thread's first frame, called from C with a retained `Body`.
private func runBody(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
  unsafe body.name.withCString { unsafe cledger_thread_set_name($0) }
  body.run()
}
