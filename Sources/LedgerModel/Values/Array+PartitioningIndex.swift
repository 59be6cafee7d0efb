extension Array {
  /// The first index whose element fulfils `predicate`, in an array where none before does and all
  /// after do.
  ///
  /// - Complexity: O(log n).
  package func partitioningIndex(where predicate: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
