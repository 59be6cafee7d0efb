#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The outcome of a promise.
public enum PromiseOutcome<Value: Sendable>: Sendable {
  /// It has a value.
  case fulfilled(Value)
  /// It failed with an error.
  case rejected(StoredError)
  /// It was cancelled, with a reason.
  case cancelled(reason: String)
  /// It was still pending at its deadline.
  case timedOut

  /// The value.
  ///
  /// - Throws: ``PromiseFailure`` for every other outcome.
  public func get() throws(PromiseFailure) -> Value {
    switch self {
    case .fulfilled(let value): value
    case .rejected(let error): throw .rejected(error)
    case .cancelled(let reason): throw .cancelled(reason: reason)
    case .timedOut: throw .timedOut
    }
  }

  /// The kind of the outcome.
  public var kind: PromiseOutcomeKind {
    switch self {
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    case .timedOut: .timedOut
    }
  }

  /// The same outcome with another value.
  package func map<Other, Failure: Error>(
    _ transform: (Value) throws(Failure) -> Other
  ) throws(Failure) -> PromiseOutcome<Other> {
    switch self {
    case .fulfilled(let value): .fulfilled(try transform(value))
    case .rejected(let error): .rejected(error)
    case .cancelled(let reason): .cancelled(reason: reason)
    case .timedOut: .timedOut
    }
  }
}

extension PromiseOutcome: Equatable where Value: Equatable {}
extension PromiseOutcome: Hashable where Value: Hashable {}

/// The reason why a promise has no value. Every method that returns the value throws it.
///
/// Its `localizedDescription` is for people: the message of the error that the promise was rejected with.
/// `stored(as:)` returns the original error if it is of your own type.
public enum PromiseFailure: Error, Sendable, Hashable {
  /// It failed with an error.
  case rejected(StoredError)
  /// It was cancelled, with a reason.
  case cancelled(reason: String)
  /// It was still pending at its deadline.
  case timedOut
}

extension PromiseFailure: StorableError {
  /// The error that the promise was rejected with; for any other failure, its description.
  public var storedError: StoredError {
    if case .rejected(let error) = self { return error }
    return StoredError(domain: "PromiseFailure", message: description)
  }
}

extension PromiseFailure: CustomStringConvertible {
  /// A description of the failure, in one line.
  public var description: String {
    switch self {
    case .rejected(let error): "rejected: \(error)"
    case .cancelled(let reason): "cancelled: \(reason)"
    case .timedOut: "timed out"
    }
  }
}

extension PromiseFailure: LocalizedError {
  /// The message of the error, or the reason of the cancellation, or a sentence.
  public var errorDescription: String? {
    switch self {
    case .rejected(let error): error.message
    case .cancelled(let reason) where !reason.isEmpty: reason
    case .cancelled: "The promise was cancelled."
    case .timedOut: "The promise timed out."
    }
  }

  /// The reason for the error, if the promise was rejected with an error that states one.
  public var failureReason: String? {
    if case .rejected(let error) = self { error.failureReason } else { nil }
  }

  /// A suggestion for the user, if the promise was rejected with an error that makes one.
  public var recoverySuggestion: String? {
    if case .rejected(let error) = self { error.recoverySuggestion } else { nil }
  }
}

/// An encoded value with the name of its type.
public struct StoredValue: Sendable, Hashable {
  /// The name of the type and its encoding.
  public let typeTag: String
  /// The encoded value.
  public let bytes: [UInt8]

  /// Makes a value from its encoded form.
  public init(typeTag: String, bytes: [UInt8]) {
    self.typeTag = typeTag
    self.bytes = bytes
  }
}
