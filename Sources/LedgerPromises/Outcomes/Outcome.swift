/// How a promise ended.
///
/// The kind is a tag, never guessed from the value's type: a promise fulfilled with an `Error` value
/// is fulfilled, and a `Promise<Int?>` fulfilled with `nil` is fulfilled with `nil`.
@frozen
public enum Outcome<Value: Sendable>: Sendable {
  /// The promise has a value.
  case fulfilled(Value)
  /// The promise failed with an error.
  case rejected(any Error)
  /// The promise was cancelled.
  case cancelled(CancellationReason)
}

extension Outcome {
  /// The value of a fulfilled outcome.
  ///
  /// - Throws: the error of a rejected outcome; a ``PromiseError`` with the code
  ///   ``PromiseError/Code/cancelled`` for a cancelled one.
  public func get() throws -> Value {
    switch self {
    case .fulfilled(let value): return value
    case .rejected(let error): throw error
    case .cancelled(let reason): throw PromiseError.cancelled(reason)
    }
  }

  /// Whether the outcome is ``fulfilled(_:)``.
  public var isFulfilled: Bool { kind == .fulfilled }

  /// Whether the outcome is ``rejected(_:)``.
  public var isRejected: Bool { kind == .rejected }

  /// Whether the outcome is ``cancelled(_:)``.
  public var isCancelled: Bool { kind == .cancelled }

  /// The error of an outcome that is not fulfilled; for a cancelled one, a ``PromiseError``.
  public var error: (any Error)? {
    switch self {
    case .fulfilled: nil
    case .rejected(let error): error
    case .cancelled(let reason): PromiseError.cancelled(reason)
    }
  }

  /// The outcome's tag.
  var kind: OutcomeKind {
    switch self {
    case .fulfilled: .fulfilled
    case .rejected: .rejected
    case .cancelled: .cancelled
    }
  }
}

extension Outcome: Equatable where Value: Equatable {
  /// Fulfilled outcomes are equal by value, cancelled ones by reason, rejected ones by the text of
  /// their errors (errors have no equality of their own).
  public static func == (left: Outcome, right: Outcome) -> Bool {
    switch (left, right) {
    case (.fulfilled(let left), .fulfilled(let right)): left == right
    case (.rejected(let left), .rejected(let right)): "\(left)" == "\(right)"
    case (.cancelled(let left), .cancelled(let right)): left == right
    default: false
    }
  }
}

extension Outcome: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fulfilled(let value): "fulfilled(\(value))"
    case .rejected(let error): "rejected(\(error))"
    case .cancelled(let reason): "cancelled(\(reason))"
    }
  }
}

/// The tag of an outcome.
@usableFromInline
enum OutcomeKind: UInt8, Sendable {
  case fulfilled
  case rejected
  case cancelled
}

/// The end of a promise that has no value. It has no type parameter, so that it passes through a chain
/// without being touched by generic code.
@usableFromInline
enum Failure: Sendable {
  case rejected(any Error)
  /// Indirect, so that the failure takes one word in each promise.
  indirect case cancelled(CancellationReason)

  /// How an error thrown by a body or a callback ends a promise.
  ///
  /// Throwing is the only way for Swift code to say that it was cancelled, so `CancellationError` and
  /// an error that stands for a cancelled promise mean cancelled; everything else is a rejection.
  @usableFromInline
  init(thrown error: any Error) {
    if let error = error as? PromiseError, let reason = error.cancellationReason {
      self = .cancelled(reason)
    } else if error is CancellationError {
      self = .cancelled(.taskCancelled)
    } else {
      self = .rejected(error)
    }
  }

  /// The tag of the outcome.
  @usableFromInline
  var kind: OutcomeKind {
    switch self {
    case .rejected: .rejected
    case .cancelled: .cancelled
    }
  }

  /// The failure as an error that can be thrown.
  @usableFromInline
  var error: any Error {
    switch self {
    case .rejected(let error): error
    case .cancelled(let reason): PromiseError.cancelled(reason)
    }
  }

  /// The failure as an outcome of a promise of any type.
  func outcome<Value: Sendable>(of type: Value.Type = Value.self) -> Outcome<Value> {
    switch self {
    case .rejected(let error): .rejected(error)
    case .cancelled(let reason): .cancelled(reason)
    }
  }
}
