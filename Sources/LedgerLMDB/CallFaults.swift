/// Answers in C's place, in a debug build, or tells a test that a call is about to be made.
package protocol CallFaults: AnyObject, Sendable {
  /// Counts one call and says what it must return instead of being made.
  func next(_ operation: LMDBOperation) -> LMDBStatus?

  /// What every path pretends to be on: `f_type` of `statfs`.
  var pretendedFileSystemType: UInt? { get }
}
