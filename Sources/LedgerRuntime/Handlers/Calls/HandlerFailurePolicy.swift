/// The treatment of a handler's promises when its code throws.
///
/// If only one call can settle a promise and its code throws, the promise would stay pending forever. So the
/// failure rejects it with the recorded error, in the commit that ends the call. A promise that has an
/// outcome keeps it.
///
/// A failure is an error that the code throws, or a refused effect that it required. A call that was given
/// back, because its task was cancelled or its process died, has not failed, and neither has a call that did
/// not begin.
public struct HandlerFailurePolicy: Sendable, Hashable {
  private enum Choice: Hashable {
    case only
    case named(String)
    case none
  }

  private let choice: Choice

  /// The failure of a one-shot handler with exactly one promise among its arguments rejects that
  /// promise.
  ///
  /// All arguments of the code count, both bound ones and those that the call gave, and promises at any depth
  /// inside them. The code of a repeating handler may be called again, so its failure rejects nothing.
  /// Invalidation code runs once, so its failure rejects the one promise among its own parameters, even for a
  /// repeating handler.
  public static let rejectPromise = HandlerFailurePolicy(choice: .only)

  /// The failure rejects the promise that a named argument is or contains, even if there are others, and even
  /// for a repeating handler.
  ///
  /// If the argument is missing or contains several promises, nothing is rejected.
  ///
  /// - Parameter argument: The name of the parameter, of the code or of the invalidation code.
  public static func rejectPromise(named argument: String) -> HandlerFailurePolicy {
    HandlerFailurePolicy(choice: .named(argument))
  }

  /// The failure is recorded, and every promise stays as it is.
  public static let recordOnly = HandlerFailurePolicy(choice: .none)

  /// The argument that the policy names.
  var argument: String? {
    if case .named(let argument) = choice { argument } else { nil }
  }

  /// The promise that a failure rejects.
  ///
  /// - Parameters:
  ///   - promises: The promises that the code receives, by argument.
  ///   - isOnlyRun: Whether the code never runs again after a failure.
  func promiseToReject(
    among promises: [String: Set<PromiseID>], isOnlyRun: Bool
  ) -> PromiseID? {
    let candidates: Set<PromiseID> =
      switch choice {
      case .only where isOnlyRun: promises.values.reduce(into: []) { $0.formUnion($1) }
      case .named(let argument): promises[argument] ?? []
      case .only, .none: []
      }
    return candidates.count == 1 ? candidates.first : nil
  }
}
