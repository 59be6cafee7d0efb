import Synchronization

/// The events in order, from any thread, and a way to wait for a number of them.
final class Recorder<Event: Sendable>: Sendable {
  private struct State {
    var events: [Event] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var events: [Event] { state.withLock { $0.events } }

  func record(_ event: Event) {
    let woken = state.withLock { state in
      state.events.append(event)
      let count = state.events.count
      let woken = state.watchers.filter { $0.count <= count }.map(\.continuation)
      state.watchers.removeAll { $0.count <= count }
      return woken
    }
    for continuation in woken { continuation.resume() }
  }

  /// Waits until this many events were recorded.
  @discardableResult
  func events(atLeast count: Int) async -> [Event] {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.events.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
    return events
  }
}
