import Synchronization

/// The way from a promise to something that takes its outcome.
struct Demand {
  /// How a promise takes the outcome of another one.
  enum Edge {
    /// It is settled with what comes first.
    case settling
    /// It collects the outcomes of several.
    case collecting
    /// It handles failures, and settling it says only that this is over.
    case handling
  }

  /// A promise on the path, and how it takes the outcome of the one before it.
  struct Step {
    let core: PromiseCore
    let edge: Edge
  }

  /// The promises on the way, beginning with the one that was asked.
  var steps: [Step]
  /// The task or thread that waits for the last of them, if any.
  var waiter: Waiter?
}

/// The use that an observer has for a value.
enum Taker {
  /// It does nothing: it only looks on, or nothing waits behind it any more.
  case nothing
  /// Its executor is gone, and it does not use the outcome without.
  case executorGone
  /// It takes the value, whatever happens.
  case anything
  case waiter(Waiter)
  /// It settles a promise.
  case promise(PromiseCore, Demand.Edge)
}

/// Asks the bodies of observers, one after the other.
final class TakerAnswer: TakerQuestion, @unchecked Sendable {
  // @unchecked because its superclass is.

  fileprivate var taker = Taker.anything
  /// Stays empty: a body that is asked does nothing but answer.
  private let context = DrainContext(queue: nil)

  /// The use that an observer of a promise has for an outcome.
  func ask(_ observer: Observer, of core: PromiseCore, isFulfilment: Bool) -> Taker {
    if observer.triggers.contains(.quiet) { return .nothing }
    if observer.triggers.contains(isFulfilment ? OutcomeKind.fulfilled : .rejected),
      !observer.triggers.contains(.withoutExecutor),
      (observer.executor ?? core.executor.target).isGone
    {
      return .executorGone
    }
    // A body that does not answer may want everything; to take nothing it has to say so.
    taker = .anything
    observer.body(.asked(self), context)
    return taker
  }
}

extension Fate {
  /// Answers for an observer that takes every value, or, if `taker` is `nil`, none; returns whether it was
  /// asked.
  func answer(_ taker: Taker?) -> Bool {
    guard case .asked(let question) = self else { return false }
    (question as? TakerAnswer)?.taker = taker ?? .nothing
    return true
  }
}

extension PromiseCore {
  /// Answers for an observer that settles this promise.
  @usableFromInline
  func answer(_ question: TakerQuestion) {
    answer(question, as: .settling)
  }

  /// Answers for an observer that settles this promise.
  func answer(_ question: TakerQuestion, as edge: Demand.Edge) {
    (question as? TakerAnswer)?.taker = .promise(self, edge)
  }

  /// How a promise stands to an outcome that comes down to it.
  private enum Standing {
    /// It is settled, or will be by something else.
    case closed
    /// Nothing observes it: it is the end of a chain.
    case end
    case observed
  }

  private func standing(behind source: PromiseCore, _ edge: Demand.Edge) -> Standing {
    let (standing, cleanUp) = machine.withLock { machine -> (Standing, PromiseHold?) in
      guard machine.admitsClaim(from: source, as: edge) else { return (.closed, nil) }
      return (machine.isHandled ? .observed : .end, machine.cleanUp)
    }
    return cleanUp?.admitsOutcomes == false ? .closed : standing
  }

  /// The promises below this one, itself included, that are pending, as far as a search for demand came.
  struct PendingPromises {
    fileprivate struct Place {
      let step: Demand.Step
      /// The place before it; less than zero for the first one.
      let previous: Int
      /// Whether a callback on the way here uses the outcome.
      let isUsed: Bool
    }

    fileprivate private(set) var places: [Place] = []
    private var seen: [ObjectIdentifier: Bool] = [:]
    /// The observers that were asked, to be released together with the promises.
    fileprivate var asked: [[Observer]] = []

    var cores: [PromiseCore] { places.map(\.step.core) }

    /// Adds a promise, unless it was found before; once more if the new way to it has a callback.
    fileprivate mutating func add(
      _ core: PromiseCore, _ edge: Demand.Edge, behind previous: Int, isUsed: Bool
    ) {
      if let before = seen[ObjectIdentifier(core)], before || !isUsed { return }
      seen[ObjectIdentifier(core)] = isUsed
      let step = Demand.Step(core: core, edge: edge)
      places.append(Place(step: step, previous: previous, isUsed: isUsed))
    }

    fileprivate func path(to last: Int, _ waiter: Waiter? = nil) -> Demand {
      var steps: [Demand.Step] = []
      var place = last
      while place >= 0 {
        steps.append(places[place].step)
        place = places[place].previous
      }
      return Demand(steps: steps.reversed(), waiter: waiter)
    }
  }

  /// Finds something that takes the outcome of this promise: a promise that is pending and the end of its
  /// chain, a task or thread that waits. The end of a failure handler takes no value that nothing uses on
  /// the way there.
  ///
  /// - Complexity: O(n) in the number of promises below; in a loop, so that a chain of any length needs no
  ///   stack.
  func findDemand(isFulfilment: Bool) -> (demand: Demand?, pending: PendingPromises) {
    var found = PendingPromises()
    guard !isSettled else { return (nil, found) }
    let question = TakerAnswer()
    found.add(self, .settling, behind: -1, isUsed: !isFulfilment)
    var index = 0
    while index < found.places.count {
      defer { index += 1 }
      let place = found.places[index]
      let core = place.step.core
      if index > 0 {
        let source = found.places[place.previous].step.core
        switch core.standing(behind: source, place.step.edge) {
        case .closed: continue
        case .end where place.step.edge == .handling && !place.isUsed: continue
        case .end: return (found.path(to: index), found)
        case .observed: break
        }
      }
      let observers = core.machine.withLock { $0.listObservers().observers }
      found.asked.append(observers)
      for observer in observers {
        switch question.ask(observer, of: core, isFulfilment: isFulfilment) {
        case .nothing, .executorGone: continue
        case .anything: return (found.path(to: index), found)
        case .waiter(let waiter):
          if waiter.isInterested { return (found.path(to: index, waiter), found) }
        case .promise(let target, let edge):
          guard !target.isSettled else { continue }
          let isUsed = place.isUsed || observer.triggers.contains(OutcomeKind.fulfilled)
          found.add(target, edge, behind: index, isUsed: isUsed)
        }
      }
    }
    return (nil, found)
  }
}

// MARK: - Offering an outcome

extension PromiseCore {
  /// Finds something that takes the outcome of this promise, and holds all that lies between.
  ///
  /// - Returns: Whether there is something. Then it gets the outcome that this promise is settled with,
  ///   unless ``endClaims(from:)`` comes first.
  /// - Parameter keep: Gets what was looked at. Another thread may have let go of it meanwhile, and its
  ///   release may run code of the user, which is not for the thread that claims.
  func claimDemand(isFulfilment: Bool, keep: (PendingPromises) -> Void) -> Bool {
    while true {
      if !machine.withLock({ $0.claims.isEmpty }) { return true }
      let (demand, pending) = findDemand(isFulfilment: isFulfilment)
      keep(pending)
      guard let demand else { return false }
      if DeliveryClaim.claim(demand) != nil { return true }
    }
  }

  /// Lets go of observers below this promise that will never do anything, and abandons those whose
  /// executor is gone.
  func releaseIdleObservers(isFulfilment: Bool) {
    let question = TakerAnswer()
    for core in findDemand(isFulfilment: isFulfilment).pending.cores {
      let (observers, removalCount) = core.machine.withLock { $0.listObservers() }
      var idle: Set<Int> = []
      var abandoned: Set<Int> = []
      for (place, observer) in observers.enumerated() {
        switch question.ask(observer, of: core, isFulfilment: isFulfilment) {
        case .executorGone: abandoned.insert(place)
        case .nothing where !observer.triggers.contains(.quiet): idle.insert(place)
        case .waiter(let waiter) where waiter.isDetached: idle.insert(place)
        // Some run on every outcome, also if it is known how their promise ends.
        case .promise(let target, _) where observer.triggers != .always && target.isSettled:
          idle.insert(place)
        default: continue
        }
      }
      let removed = core.machine.withLock {
        $0.removeObservers(at: idle.union(abandoned), ifRemovalsAre: removalCount)
      }
      guard !removed.isEmpty else { continue }
      for place in abandoned.sorted() {
        Job(observers[place], fate: .fulfilled).abandon()
      }
    }
  }

  /// Makes this promise lazy again. `starter` runs with its next observer, or once something below it takes
  /// the outcome.
  ///
  /// - Returns: Whether it still has observers. Then what it keeps stays until it is settled.
  func rest(isFulfilment: Bool, _ starter: @escaping PromiseStateMachine.Starter) -> Bool {
    let released = machine.withLock { $0.rest(starter) }
    _ = released
    lookForDemand(isFulfilment: isFulfilment)
    return machine.withLock { !$0.listObservers().observers.isEmpty }
  }

  /// Starts this promise, if it rests, and something takes its outcome now; otherwise looks again once
  /// that may have changed.
  private func lookForDemand(isFulfilment: Bool) {
    guard isLazy else { return }
    releaseIdleObservers(isFulfilment: isFulfilment)
    // Kept, so that none of them has the identity of another one.
    var lookedAt: [PendingPromises] = []
    var watched: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    while true {
      let (demand, pending) = findDemand(isFulfilment: isFulfilment)
      guard demand == nil else { return startIfLazy() }
      lookedAt.append(pending)
      let new = pending.cores.filter { watched.insert(ObjectIdentifier($0)).inserted }
      // Once more for what came before a promise was watched.
      guard !new.isEmpty else { return }
      for core in new {
        _ = core.machine.withLock { machine in
          machine.watch(for: self) { [self] in lookForDemand(isFulfilment: isFulfilment) }
        }
      }
    }
  }
}
