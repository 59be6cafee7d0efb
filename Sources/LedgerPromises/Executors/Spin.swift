/// Looking again and again for something that is about to happen, which costs less than to be woken by it.
package enum Spin {
  /// Looks until `isThere` says so, or often enough; returns whether it did.
  @inline(__always)
  package static func look(atMost count: Int, until isThere: () -> Bool) -> Bool {
    for _ in 0..<count {
      if isThere() { return true }
    }
    return false
  }
}
