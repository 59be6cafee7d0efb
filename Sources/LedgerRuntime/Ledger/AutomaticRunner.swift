import Synchronization

/// The task that runs a session's work, if its configuration says so.
final class AutomaticRunner: Sendable {
  private let contents = Mutex<Task<Void, Never>?>(nil)

  func set(_ task: Task<Void, Never>) { contents.withLock { $0 = task } }

  /// Stops the runner, which gives running code time to end.
  func stop() async {
    let task = contents.withLock { $0.take() }
    task?.cancel()
    await task?.value
  }
}
