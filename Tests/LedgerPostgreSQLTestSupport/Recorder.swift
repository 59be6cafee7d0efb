import Synchronization

/// Values that several threads add.
package final class Recorder<Value: Sendable>: Sendable {
  private let contents = Mutex<[Value]>([])

  package init() {}

  package func add(_ value: Value) { contents.withLock { $0.append(value) } }

  package var all: [Value] { contents.withLock { $0 } }
}
