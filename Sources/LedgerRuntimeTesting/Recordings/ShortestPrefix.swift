/// The search for the shortest of several prefixes that fails.
struct ShortestPrefix {
  /// The index of the prefix.
  private(set) var index: Int
  /// Whether every shorter prefix was tried.
  private(set) var isProven: Bool

  /// Finds a boundary by halving, and then tries every shorter prefix: a shorter one may fail although a longer
  /// one does not.
  ///
  /// - Parameters:
  ///   - count: The number of prefixes, from the shortest to the longest; the longest fails.
  ///   - limit: The maximum number of shorter prefixes to try; if there are more, they are spread evenly.
  ///   - fails: Whether a prefix fails.
  init(
    of count: Int, trying limit: Int, _ fails: (Int) async throws -> Bool
  ) async throws {
    var (low, high) = (0, count - 1)
    while low < high {
      let middle = low + (high - low) / 2
      if try await fails(middle) { high = middle } else { low = middle + 1 }
    }
    index = high
    let tried = min(max(0, limit), high)
    isProven = tried == high
    for number in 0..<tried {
      let shorter = isProven ? number : number * high / tried
      if try await fails(shorter) {
        index = shorter
        return
      }
    }
  }
}
