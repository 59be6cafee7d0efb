/// Something that is allowed but hardly ever meant; see ``PromiseDiagnostics``.
public struct PromiseDiagnostic: Sendable {
  /// The events that are reported.
  @nonexhaustive public enum Kind: Sendable {
    /// The resolver, or an executor, let go of a promise that nothing else can settle. The promise is
    /// rejected.
    case pendingPromiseDropped
    /// A rejected promise was released before anything looked at its error.
    case unhandledRejection(any Error)
    /// A settled promise was settled again. The second outcome is ignored; `ignored` is its error, if any.
    case settledTwice(ignored: (any Error)?)
    /// A promise was settled after it had been cancelled or had timed out. The outcome is ignored.
    case settledLate
    /// A blocking wait was refused on the thread that has to do the work.
    case waitedOnOwnExecutor
    /// The closure of a retry returned the promise of the attempt before: its work does not run again.
    case retriedSamePromise
  }

  /// The event.
  public let kind: Kind

  /// The file that created the promise, as `module/file`.
  public let file: String

  /// The line that created the promise.
  public let line: UInt
}

extension PromiseDiagnostic: CustomStringConvertible {
  public var description: String { "\(text) [promise created at \(file):\(line)]" }

  private var text: String {
    switch kind {
    case .pendingPromiseDropped:
      "A pending promise lost its resolver and is rejected: keep the resolver until the promise is settled."
    case .unhandledRejection(let error):
      "A rejected promise was released before anything handled its error: \(error)"
    case .settledTwice(let error):
      "A promise was settled twice; the second outcome is ignored"
        + (error.map { ": \($0)" } ?? ".")
    case .settledLate:
      "A promise was settled after it was cancelled or timed out; the outcome is ignored."
    case .waitedOnOwnExecutor:
      "A blocking wait was refused, because this thread has to do the work it waits for."
    case .retriedSamePromise:
      "A retry got the same promise again, and a promise runs its work once: make the promise inside "
        + "the closure of retry."
    }
  }
}
