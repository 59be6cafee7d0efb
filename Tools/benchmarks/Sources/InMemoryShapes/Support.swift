import Dispatch
import Foundation
import OpenCombine
import Synchronization

/// Blocks until it is counted down.
final class Latch: Sendable {
  private let remaining: Atomic<Int>
  private let semaphore = DispatchSemaphore(value: 0)

  init(_ count: Int) {
    remaining = Atomic(count)
  }

  func countDown() {
    if remaining.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { semaphore.signal() }
  }

  func wait() {
    semaphore.wait()
  }
}

/// Brings a continuation and a value together, whichever comes first.
final class ContinuationBox: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Int, Never>?
    var value: Int?
  }

  private let state = Mutex(State())

  func set(_ continuation: CheckedContinuation<Int, Never>) {
    let value = state.withLock { state in
      if state.value == nil { state.continuation = continuation }
      return state.value
    }
    if let value { continuation.resume(returning: value) }
  }

  func resume(_ value: Int) {
    let continuation = state.withLock { state in
      state.value = value
      return state.continuation
    }
    continuation?.resume(returning: value)
  }
}

/// Carries the closure out of the initializer of OpenCombine's future.
final class FulfillBox {
  var fulfill: Future<Int, Never>.Promise?
}

/// A Dispatch queue for callbacks of OpenCombine, which has no executor of its own on Linux.
struct ImmediateOff: Sendable {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) {
    self.queue = queue
  }

  func async(_ body: @escaping @Sendable () -> Void) {
    queue.async(execute: body)
  }
}

/// Runs `body` on `count` threads and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    let thread = Thread {
      body(number)
      group.leave()
    }
    thread.start()
  }
  group.wait()
}
