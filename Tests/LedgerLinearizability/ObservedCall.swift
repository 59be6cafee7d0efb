/// A call of one object, as its caller saw it.
package struct ObservedCall<Request: Sendable>: Sendable {
  /// The name of the call in findings.
  package let id: String
  package let request: Request
  /// The answer; `nil` if the caller does not know whether the request was carried out.
  package let answer: String?
  /// The time of the call, in nanoseconds of a clock that all callers share.
  package let called: Int64
  /// The time after which the request is no longer carried out: that of the answer, or of the death of the
  /// caller. `nil` if it may be carried out at any later time.
  package let returned: Int64?

  /// Without a time of return there can be no answer.
  package init(
    _ id: String, _ request: Request, answer: String?, called: Int64, returned: Int64?
  ) {
    self.id = id
    self.request = request
    self.answer = returned == nil ? nil : answer
    self.called = called
    self.returned = returned
  }
}
