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

  func contains(_ kind: OutcomeKind) -> Bool {
    rawValue & (1 << kind.rawValue) != 0
  }

  /// The failures an error handler runs for.
  static func failures(includingCancellation: Bool) -> Triggers {
    includingCancellation ? .failed : .rejected
  }
}

/// Why an observer's body is called.
@usableFromInline
enum Fate: Sendable {
  case fulfilled
  case rejected
  case cancelled
  /// The executor dropped the call; there will be no other.
  case abandoned

  init(_ kind: OutcomeKind) {
    switch kind {
    case .fulfilled: self = .fulfilled
    case .rejected: self = .rejected
    case .cancelled: self = .cancelled
    }
  }
}

/// What happens when a promise is settled. It has no type parameter: bodies that need the value capture
/// the typed storage. So storing and moving observers costs no generic code and no reabstraction.
@usableFromInline
struct Observer: Sendable {
  @usableFromInline typealias Body =
    @Sendable (_ source: PromiseCore, _ fate: Fate, _ context: DrainContext) -> Void

  let executor: PromiseExecutor
  let triggers: Triggers
  /// Set for observers that can detach; consulted when detached ones are swept out.
  let waiter: Waiter?
  let body: Body
}

/// The observers of one promise in the order of their registration; one needs no array.
enum ObserverList: Sendable {
  case none
  case one(Observer)
  case many([Observer])

  mutating func append(_ observer: Observer) {
    switch self {
    case .none:
      self = .one(observer)
    case .one(let first):
      self = .many([first, observer])
    case .many(var observers):
      self = .none
      observers.append(observer)
      self = .many(observers)
    }
  }

  mutating func take() -> ObserverList {
    let taken = self
    self = .none
    return taken
  }

  /// Removes detached observers and hands them back, so that they are released outside the lock.
  mutating func sweep() -> [Observer] {
    switch self {
    case .none:
      return []
    case .one(let observer):
      guard observer.waiter?.isDetached == true else { return [] }
      self = .none
      return [observer]
    case .many(let observers):
      self = .many(observers.filter { $0.waiter?.isDetached != true })
      return observers
    }
  }

  var count: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .many(let observers): observers.count
    }
  }

  var isEmpty: Bool {
    if case .none = self { true } else { false }
  }

  /// Whether the thread that settles may hand over every observer without leaving its own queues.
  func isLocal(to context: DrainContext?, for kind: OutcomeKind) -> Bool {
    switch self {
    case .none: true
    case .one(let observer): observer.isLocal(to: context, for: kind)
    case .many(let observers): observers.allSatisfy { $0.isLocal(to: context, for: kind) }
    }
  }
}

extension Observer {
  func isLocal(to context: DrainContext?, for kind: OutcomeKind) -> Bool {
    guard triggers.contains(kind) else { return true }
    switch executor.kind {
    case .serial(let queue): return queue === context?.queue
    case .inline: return context != nil
    case .dispatch, .custom: return false
    }
  }
}
