/// Asks the body of an observer what takes a value that it is called with.
///
/// The answers are promises and waiters, which this folder does not know.
@usableFromInline
class TakerQuestion: @unchecked Sendable {
  // @unchecked because a class with subclasses cannot be checked; one thread asks, and gets the answer
  // before the body returns.

  init() {}
}
