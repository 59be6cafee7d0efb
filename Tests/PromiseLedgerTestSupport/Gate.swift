import Synchronization

/// Keeps code waiting until the test releases it, and tells the test that it waits.
package final class Gate: Sendable {
  private struct Contents {
    var isOpen = false
    var arrivals = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let contents = Mutex(Contents())

  package init() {}

  /// One that is open from the start.
  package static var opened: Gate {
    let gate = Gate()
    gate.open()
    return gate
  }

  /// Waits until the gate opens.
  package func pass() async {
    await withCheckedContinuation { continuation in
      let due = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
        contents.arrivals += 1
        let arrivals = contents.arrivals
        var due = contents.watchers.filter { $0.count <= arrivals }.map(\.continuation)
        contents.watchers.removeAll { $0.count <= arrivals }
        if contents.isOpen {
          due.append(continuation)
        } else {
          contents.waiting.append(continuation)
        }
        return due
      }
      for continuation in due { continuation.resume() }
    }
  }

  /// Tells the test that code has come to the gate, and does not wait.
  package func arrive() async {
    let due = contents.withLock { contents in
      contents.arrivals += 1
      let arrivals = contents.arrivals
      defer { contents.watchers.removeAll { $0.count <= arrivals } }
      return contents.watchers.filter { $0.count <= arrivals }
    }
    for watcher in due { watcher.continuation.resume() }
  }

  /// Waits until code has come to the gate `count` times in all.
  package func arrival(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isDue = contents.withLock { contents in
        if contents.arrivals >= count { return true }
        contents.watchers.append((count, continuation))
        return false
      }
      if isDue { continuation.resume() }
    }
  }

  package func open() {
    let waiting = contents.withLock { contents in
      contents.isOpen = true
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
