extension EventView {
  /// The problem of an event that does not fit the state of its subject.
  func doesNotFit(_ what: String) -> ReplayProblem {
    ReplayProblem(.illegalTransition("\(kind) of \(what)"), at: position)
  }

  /// The place of a value that is stored beside the event if the payload does not contain it.
  func reference<Value>(
    to inline: Value?
  ) throws(ReplayProblem) -> StoredReference<Value> {
    if let inline { return .inline(inline) }
    guard attachmentByteCount > 0 else {
      throw ReplayProblem(
        .damagedPayload("a part of the payload of \(kind) is missing"), at: position)
    }
    return .attached(position, byteCount: attachmentByteCount)
  }
}
