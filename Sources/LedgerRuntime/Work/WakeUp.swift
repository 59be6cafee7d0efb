import Synchronization

/// Wakes one waiting task; a wake-up without a waiting task ends the next wait.
final class WakeUp: Sendable {
  private struct Contents {
    var isDue = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let contents = Mutex(Contents())

  func callAsFunction() {
    let waiter = contents.withLock { contents in
      contents.isDue = contents.waiter == nil
      return contents.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits for a wake-up, the end of the time, or the cancellation of the task.
  func wait(atMost timeout: Duration?) async {
    let timer = timeout.map { timeout in
      Task {
        try await Task.sleep(for: timeout)
        self()
      }
    }
    defer { timer?.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDue = contents.withLock { contents in
          if contents.isDue || Task.isCancelled {
            contents.isDue = false
            return true
          }
          contents.waiter = continuation
          return false
        }
        if isDue { continuation.resume() }
      }
    } onCancel: {
      self()
    }
  }
}
