import Synchronization

/// The actions of code, in order.
package final class Notes: Sendable {
  private let contents = Mutex<[String]>([])

  package init() {}

  package var lines: [String] { contents.withLock { $0 } }
  package func add(_ line: String) { contents.withLock { $0.append(line) } }
}
