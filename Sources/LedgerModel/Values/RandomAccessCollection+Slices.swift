extension RandomAccessCollection {
  /// Splits the elements into slices of `count`; the last slice may be shorter.
  @inlinable
  package func slices(of count: Int) -> some Sequence<SubSequence> {
    sequence(state: self[...]) { rest -> SubSequence? in
      guard !rest.isEmpty else { return nil }
      let slice = rest.prefix(count)
      rest = rest.dropFirst(count)
      return slice
    }
  }
}

extension Collection {
  /// The first elements, up to and including the one at which the sum of the weights reaches the limit; all
  /// elements if the sum stays below it.
  package func prefix(weighing limit: Int, _ weight: (Element) -> Int) -> SubSequence {
    var sum = 0
    return prefix { element in
      defer { sum += weight(element) }
      return sum < limit
    }
  }
}
