/// Which outcomes of a promise make an observer run code of the user, and so need an executor.
///
/// Every other outcome only passes through, which takes no executor.
@usableFromInline
struct Triggers: OptionSet, Sendable {
  @usableFromInline let rawValue: UInt8

  @inlinable
  init(rawValue: UInt8) { self.rawValue = rawValue }

  @inlinable static var fulfilled: Triggers { Triggers(rawValue: 1) }
  @inlinable static var rejected: Triggers { Triggers(rawValue: 2) }
  @inlinable static var cancelled: Triggers { Triggers(rawValue: 4) }
  @inlinable static var always: Triggers { Triggers(rawValue: 7) }
  @inlinable static var failed: Triggers { Triggers(rawValue: 6) }
  /// Looks on: neither starts a lazy promise, nor handles its rejection, nor takes its value.
  static var quiet: Triggers { Triggers(rawValue: 8) }
  /// May be taken out once nothing waits for its turn any more; see ``PromiseCore/detachObserver()``.
  static var detachable: Triggers { Triggers(rawValue: 16) }
  /// Uses the outcome also if its executor is gone, on the thread that finds out; so it takes the outcome.
  static var withoutExecutor: Triggers { Triggers(rawValue: 32) }

  func contains(_ kind: OutcomeKind) -> Bool {
    rawValue & (1 << kind.rawValue) != 0
  }

  func contains(_ fate: Fate) -> Bool {
    switch fate {
    case .fulfilled: contains(OutcomeKind.fulfilled)
    case .failed(let failure): contains(failure.kind)
    case .abandoned, .asked: false
    }
  }

  /// The failures an error handler runs for.
  static func failures(includingCancellation: Bool) -> Triggers {
    includingCancellation ? .failed : .rejected
  }
}

/// Why an observer's body is called.
@usableFromInline
enum Fate: Sendable {
  /// The promise has its value.
  case fulfilled
  case failed(Failure)
  /// The executor dropped the call; there will be no other.
  case abandoned
  /// Nothing happened: the body is asked what takes a value that comes, and does nothing else. As a
  /// question it costs the links of a chain nothing, neither a word nor a reference.
  case asked(TakerQuestion)

  @usableFromInline
  var isFulfilled: Bool {
    if case .fulfilled = self { true } else { false }
  }

  var isAbandoned: Bool {
    if case .abandoned = self { true } else { false }
  }

  var failure: Failure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}

/// A closure to call when a promise is settled. It has no type parameter: bodies that need the value capture
/// the typed storage, which also keeps the promise until they have run. So storing and moving observers
/// costs no generic code and no reabstraction.
@usableFromInline
struct Observer: Sendable {
  @usableFromInline typealias Body =
    @Sendable (_ fate: Fate, _ context: DrainContext) -> Void

  /// Where the body runs; `nil` stands for the executor of the promise.
  let executor: ExecutorTarget?
  let body: Body
  let triggers: Triggers

  init(on executor: ExecutorTarget? = nil, triggers: Triggers = [], _ body: @escaping Body) {
    self.executor = executor
    self.body = body
    self.triggers = triggers
  }
}
