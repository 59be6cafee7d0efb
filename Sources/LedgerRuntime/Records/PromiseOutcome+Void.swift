/// Outcomes without a value can be compared, although `Void` is not `Equatable`.
///
/// ```swift
/// if try await saved.outcome == .fulfilled(()) { close() }
/// ```
/// The conformance itself is not possible, so arrays of such outcomes have no `==`.
extension PromiseOutcome where Value == Void {
  /// Fulfilled outcomes are equal; the others compare as outcomes of other types do.
  public static func == (left: PromiseOutcome, right: PromiseOutcome) -> Bool {
    left.map { true } == right.map { true }
  }

  /// The opposite of `==`.
  public static func != (left: PromiseOutcome, right: PromiseOutcome) -> Bool { !(left == right) }
}

extension PromiseOutcome {
  /// Whether the promise has a value.
  public var isFulfilled: Bool { kind == .fulfilled }
}
