import HeapModule

/// The deadlines of promises, the earliest first.
///
/// Entries of promises that were resolved in the meantime stay until they reach the front, so a caller that
/// takes an entry must look up the promise again.
package struct DeadlineQueue: Sendable {
  private struct Entry: Comparable, Sendable {
    let deadline: Timestamp
    let id: PromiseID

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline, left.id) < (right.deadline, right.id)
    }
  }

  private var entries = Heap<Entry>()

  package init() {}

  /// - Complexity: O(log n).
  package mutating func insert(_ deadline: Timestamp, _ id: PromiseID) {
    entries.insert(Entry(deadline: deadline, id: id))
  }

  /// The earliest entry.
  package var first: (deadline: Timestamp, id: PromiseID)? {
    entries.min.map { ($0.deadline, $0.id) }
  }

  var count: Int { entries.count }

  /// Returns the entries that are still needed.
  ///
  /// - Complexity: O(n).
  func filter(_ isNeeded: ((deadline: Timestamp, id: PromiseID)) -> Bool) -> DeadlineQueue {
    var queue = DeadlineQueue()
    queue.entries = Heap(entries.unordered.filter { isNeeded(($0.deadline, $0.id)) })
    return queue
  }

  package mutating func removeFirst() {
    _ = entries.popMin()
  }
}
