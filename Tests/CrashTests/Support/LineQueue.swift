import Synchronization

/// Lines on their way from a thread that blocks to a test that does not.
final class LineQueue: Sendable {
  private struct Contents {
    var partial: [UInt8] = []
    var lines: [String] = []
    var hasEnded = false
    var waiter: CheckedContinuation<String?, Never>?

    /// The waiter and what it gets, if there is something for it.
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

/// A value that comes once, for any number of tests to wait for.
final class Promised<Value: Sendable>: Sendable {
  private struct Contents {
    var value: Value?
    var isGivenUp = false
    var waiters: [CheckedContinuation<Value?, Never>] = []
  }

  private let contents = Mutex(Contents())

  var value: Value? { contents.withLock { $0.value } }

  func fulfill(_ value: Value) {
    finish { $0.value = value }
  }

  /// The value; `nil` when the test's time is over.
  func get() async -> Value? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        finish { $0.waiters.append(continuation) }
      }
    } onCancel: {
      finish { $0.isGivenUp = true }
    }
  }

  private func finish(_ body: (inout Contents) -> Void) {
    let (waiters, value) = contents.withLock { contents in
      body(&contents)
      guard contents.value != nil || contents.isGivenUp else {
        return ([CheckedContinuation<Value?, Never>](), contents.value)
      }
      defer { contents.waiters = [] }
      return (contents.waiters, contents.value)
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }
}
