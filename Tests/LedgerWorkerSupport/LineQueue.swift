import Synchronization

/// Lines on their way from a thread that blocks to a test that does not.
final class LineQueue: Sendable {
  private struct Contents {
    var partial: [UInt8] = []
    var lines: [String] = []
    var hasEnded = false
    var waiter: CheckedContinuation<String?, Never>?

    /// The waiter and its result, if there is a result for it.
    mutating func takeDue() -> (CheckedContinuation<String?, Never>, String?)? {
      guard let waiting = waiter, hasEnded || !lines.isEmpty else { return nil }
      waiter = nil
      return (waiting, lines.isEmpty ? nil : lines.removeFirst())
    }
  }

  private let contents = Mutex(Contents())

  func add(_ bytes: [UInt8]) {
    change { contents in
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          contents.lines.append(String(decoding: contents.partial, as: UTF8.self))
          contents.partial = []
        } else {
          contents.partial.append(byte)
        }
      }
    }
  }

  func end() { change { $0.hasEnded = true } }

  /// The next line; `nil` after the last, and when the test's time is over.
  func next() async -> String? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { contents in
          contents.waiter = continuation
          if Task.isCancelled { contents.hasEnded = true }
        }
      }
    } onCancel: {
      end()
    }
  }

  private func change(_ body: (inout Contents) -> Void) {
    let due = contents.withLock { contents in
      body(&contents)
      return contents.takeDue()
    }
    if let (waiter, line) = due { waiter.resume(returning: line) }
  }
}
