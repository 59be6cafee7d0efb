extension RandomAccessCollection where Index == Int {
  /// Finds the first index whose element satisfies `predicate`, in a collection where no element before it
  /// does and all after it do.
  ///
  /// - Complexity: O(log n).
  package func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
