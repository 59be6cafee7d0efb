/// Outcomes without a value can be compared, although `Void` is not `Equatable`.
///
/// ```swift
/// if saved.outcome == .fulfilled(()) { close() }
/// ```
/// The conformance itself is out of reach, so arrays of such outcomes have no `==`.
extension Outcome where Value == Void {
  /// Fulfilled outcomes are equal; the others compare as those with a value do.
  public static func == (left: Outcome, right: Outcome) -> Bool { left.marked == right.marked }

  /// The opposite of `==`.
  public static func != (left: Outcome, right: Outcome) -> Bool { !(left == right) }

  /// The same for an outcome that may not be there yet; none equals no outcome.
  public static func == (left: Outcome?, right: Outcome) -> Bool {
    left.map { $0 == right } ?? false
  }

  /// The opposite of `==`.
  public static func != (left: Outcome?, right: Outcome) -> Bool { !(left == right) }

  /// The same outcome with a value that can be compared.
  private var marked: Outcome<Bool> {
    switch self {
    case .fulfilled: .fulfilled(true)
    case .rejected(let error): .rejected(error)
    case .cancelled(let reason): .cancelled(reason)
    }
  }
}
