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
