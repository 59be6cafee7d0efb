/// In a debug build, answers in C's place, or tells a test that a call is about to be made.
package protocol CallFaults: AnyObject, Sendable {
  /// Counts one call and returns the status to answer with, or nil to make the call.
  func next(_ operation: LMDBOperation) -> LMDBStatus?

  /// The `f_type` of `statfs` that every path pretends to have.
  var pretendedFileSystemType: UInt? { get }
}
