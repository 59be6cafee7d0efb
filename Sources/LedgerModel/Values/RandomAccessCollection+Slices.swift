extension RandomAccessCollection {
  /// The elements in slices of `count`, the last one perhaps shorter.
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
  /// The first elements, up to the one with which their weights reach a limit; all if they do not.
  package func prefix(weighing limit: Int, _ weight: (Element) -> Int) -> SubSequence {
    var sum = 0
    return prefix { element in
      defer { sum += weight(element) }
      return sum < limit
    }
  }
}
