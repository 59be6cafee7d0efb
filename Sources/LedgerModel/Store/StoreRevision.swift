/// A state of an open store. If two are equal, nothing was committed in between, by any process.
package struct StoreRevision: Sendable, Hashable {
  /// Differs for each time that a store was opened.
  private let opening: UInt64
  private let number: UInt64

  /// - Parameters:
  ///   - opening: A number that no other opening of a store in this process has.
  ///   - number: Grows with each commit.
  package init(opening: UInt64, number: UInt64) {
    self.opening = opening
    self.number = number
  }
}
