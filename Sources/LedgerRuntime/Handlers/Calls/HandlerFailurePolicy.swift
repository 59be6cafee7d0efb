/// What becomes of the promises of a handler whose code throws.
///
/// A promise that only one call can settle would stay pending for ever if the code of that call threw
/// instead. So the failure rejects it, with the error that is recorded, in the commit that ends the
/// call. A promise that has an outcome keeps it.
///
/// A failure is an error that the code throws, or a refused effect that it required. Code that gets its
/// call back, because its task was cancelled or its process died, has not failed, and neither has a call
/// that did not begin.
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
  /// All arguments that the code gets count, those that were bound and those that the call gave, and
  /// promises at any depth inside them. The code of a repeating handler may be called again, so its
  /// failure rejects nothing. Invalidation code runs once, so its failure rejects the one promise among
  /// its own parameters, also that of a repeating handler.
  public static let rejectPromise = HandlerFailurePolicy(choice: .only)

  /// The failure rejects the promise that one argument is, or has in it, also if there are others, and
  /// also that of a repeating handler.
  ///
  /// Without the argument, or with several promises in it, nothing is rejected.
  ///
  /// - Parameter argument: The name of the parameter, of the code or of the invalidation code.
  public static func rejectPromise(named argument: String) -> HandlerFailurePolicy {
    HandlerFailurePolicy(choice: .named(argument))
  }

  /// The failure is recorded, and every promise stays as it is.
  public static let recordOnly = HandlerFailurePolicy(choice: .none)

  /// The argument that is named.
  var argument: String? {
    if case .named(let argument) = choice { argument } else { nil }
  }

  /// The promise that a failure rejects.
  ///
  /// - Parameters:
  ///   - promises: Those that the code gets, by argument.
  ///   - isOnlyRun: Whether the code is not run again after a failure.
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
