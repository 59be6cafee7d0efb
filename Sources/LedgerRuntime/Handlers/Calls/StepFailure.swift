/// The failure of a step, which is kept: every attempt of the work gets the same one, and so takes the same
/// `catch`.
///
/// Code that ends with it is not run again. Catch it to undo what earlier steps did, in further steps:
///
/// ```swift
/// do {
///   try await call.step("ship") { try await shop.ship(order, $0.idempotencyKey) }
/// } catch let failure as StepFailure {
///   try await call.step("refund") { try await shop.refund(charge, $0.idempotencyKey) }
///   throw failure
/// }
/// ```
public struct StepFailure: Error, Sendable, Hashable {
  /// The reason for the failure.
  @nonexhaustive public enum Reason: Sendable, Hashable {
    /// The body of the step failed for the last time.
    case failed(StoredError)
    /// The work was cancelled, with a reason. The body was not run, or was cancelled.
    case cancelled(reason: String)
  }

  /// The name of the step, with its key or number.
  public let step: String
  /// The reason for the failure.
  public let reason: Reason

  init(_ step: StepIdentity, _ reason: Reason) {
    self.step = step.description
    self.reason = reason
  }

  /// Whether the work was cancelled.
  public var isCancellation: Bool {
    if case .cancelled = reason { true } else { false }
  }
}

extension StepFailure: StorableError {
  /// The error of the body, or an error that says that the work was cancelled.
  public var storedError: StoredError {
    switch reason {
    case .failed(let error): error
    case .cancelled: StoredError(domain: "StepFailure", message: description)
    }
  }
}

extension StepFailure: CustomStringConvertible {
  /// A description of the failure, in one line.
  public var description: String {
    switch reason {
    case .failed(let error): "Step \(step) failed: \(error)"
    case .cancelled(let reason):
      "The work was cancelled before step \(step)\(reason.isEmpty ? "" : ": \(reason)")."
    }
  }
}

/// The error by which code in memory ends that has lost its work, for example because it was given back while the
/// code waited, and another process runs it now.
///
/// Let it pass: catch ``StepFailure`` rather than all errors. Code that catches it cannot record anything more.
public struct WorkSuspended: Error, Sendable {}
