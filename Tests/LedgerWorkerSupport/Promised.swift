import Synchronization

/// A value that comes once, for any number of tests to wait for.
package final class Promised<Value: Sendable>: Sendable {
  private struct Contents {
    var value: Value?
    var isGivenUp = false
    var waiters: [CheckedContinuation<Value?, Never>] = []
  }

  private let contents = Mutex(Contents())

  package init() {}

  package var value: Value? { contents.withLock { $0.value } }

  package func fulfill(_ value: Value) {
    finish { $0.value = value }
  }

  /// The value; `nil` when the test's time is over.
  package func get() async -> Value? {
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
