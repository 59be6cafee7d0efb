/// An error that this library itself made; the errors of your own code pass through unchanged.
///
/// The set of codes may grow, so match with a `default`:
/// ```swift
/// switch error.code {
/// case .timedOut: retry()
/// default: show(error)
/// }
/// ```
public struct PromiseError: Error, Sendable {
  /// The kind of an error, to compare.
  public struct Code: Sendable, Hashable {
    fileprivate enum Name: String {
      case abandoned, executorGone, resolvedWithItself, timedOut, invalidInput, noResult, noValue
      case notValid, allRejected, cancelled, waitRefused, cleanUpFailed
    }

    fileprivate let name: Name

    /// The resolver was dropped before it settled its promise.
    public static let abandoned = Code(name: .abandoned)
    /// The executor that should have run a callback dropped it. If the chain had failed before, that error is
    /// the ``PromiseError/cause``.
    public static let executorGone = Code(name: .executorGone)
    /// A promise was resolved with itself, or with one that already waits for it (A+ 2.3.1).
    public static let resolvedWithItself = Code(name: .resolvedWithItself)
    /// The time given to ``Promise/timeout(_:throwing:cancellingSource:clock:file:line:)`` or to a blocking
    /// wait ran out.
    public static let timedOut = Code(name: .timedOut)
    /// An argument makes no sense, such as a race between no promises.
    public static let invalidInput = Code(name: .invalidInput)
    /// A completion handler was called with neither a value nor an error.
    public static let noResult = Code(name: .noResult)
    /// ``Promise/compactMap(on:file:line:_:)`` got `nil`.
    public static let noValue = Code(name: .noValue)
    /// ``Promise/validate(on:file:line:_:)`` found the value not valid.
    public static let notValid = Code(name: .notValid)
    /// No promise given to ``Promise/any(_:on:file:line:)`` was fulfilled.
    public static let allRejected = Code(name: .allRejected)
    /// The promise that was waited for was cancelled.
    public static let cancelled = Code(name: .cancelled)
    /// A blocking wait would have blocked the thread that has to do the work.
    public static let waitRefused = Code(name: .waitRefused)
    /// A chain failed, and so did the clean-up behind it.
    public static let cleanUpFailed = Code(name: .cleanUpFailed)
  }

  /// The kind of the error.
  public let code: Code

  /// A description of the failure, and how to fix it.
  public let message: String

  /// The first error, where this one stands for several.
  public let cause: (any Error)?

  /// The error that the chain failed with, found behind the errors of failed clean-ups and lost executors.
  ///
  /// This follows ``cause`` to its end. An error without a cause underlies itself.
  public var underlying: any Error {
    var error: any Error = self
    while let cause = (error as? PromiseError)?.cause { error = cause }
    return error
  }

  /// Further errors: all of them in input order for ``Code/allRejected``, the clean-up's for
  /// ``Code/cleanUpFailed``.
  public let attachedErrors: [any Error]

  /// The reason, for ``Code/cancelled``.
  public let cancellationReason: CancellationReason?

  /// The place that created the promise, as `module/file:line`; empty if unknown.
  public let location: String

  init(
    _ code: Code,
    _ message: String,
    cause: (any Error)? = nil,
    attachedErrors: [any Error] = [],
    cancellationReason: CancellationReason? = nil,
    site: SourceSite? = nil
  ) {
    self.code = code
    self.message = message
    self.cause = cause
    self.attachedErrors = attachedErrors
    self.cancellationReason = cancellationReason
    self.location = site?.description ?? ""
  }

  /// The error that awaiting a cancelled promise throws.
  ///
  /// A body or a callback that throws it cancels its promise rather than rejecting it.
  public static func cancelled(_ reason: CancellationReason) -> PromiseError {
    PromiseError(.cancelled, "The promise was cancelled: \(reason)", cancellationReason: reason)
  }

  static func invalidInput(_ message: String, site: SourceSite) -> PromiseError {
    PromiseError(.invalidInput, message, site: site)
  }
}

extension PromiseError.Code: CustomStringConvertible {
  public var description: String { name.rawValue }
}

extension PromiseError: CustomStringConvertible {
  /// One line: code, message, place, cause and attached errors.
  public var description: String {
    var text = "\(code): \(message)"
    if !location.isEmpty { text += " [promise created at \(location)]" }
    if let cause { text += " (cause: \(cause))" }
    if !attachedErrors.isEmpty { text += " (attached: \(attachedErrors))" }
    return text
  }
}
