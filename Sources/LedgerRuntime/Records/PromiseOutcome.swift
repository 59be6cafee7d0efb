#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What became of a promise.
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

  /// Which outcome it is.
  public var kind: OutcomeKind {
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

/// Why a promise has no value: thrown by every way to get the value.
///
/// Its `localizedDescription` is what a person should read: the message of the error that the promise
/// was rejected with. `stored(as:)` gives back an error of your own.
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
  /// What happened, in one line.
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

  /// Why the error happened, if the promise was rejected with one that says so.
  public var failureReason: String? {
    if case .rejected(let error) = self { error.failureReason } else { nil }
  }

  /// What a person may do, if the promise was rejected with an error that says so.
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

  /// Makes a value that is encoded already.
  public init(typeTag: String, bytes: [UInt8]) {
    self.typeTag = typeTag
    self.bytes = bytes
  }
}
