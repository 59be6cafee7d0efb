import Synchronization

/// The way from a promise to something that takes its outcome.
struct Demand {
  /// The promises on the way, beginning with the one that was asked.
  var cores: [PromiseCore]
  /// What waits for the last of them, if that is a task or a thread.
  var waiter: Waiter?
}

/// What an observer does with a value.
enum Taker {
  /// It does nothing: it only looks on, or nothing waits behind it any more.
  case nothing
  /// Its executor is gone.
  case executorGone
  /// It takes the value, whatever happens.
  case anything
  case waiter(Waiter)
  /// It settles a promise.
  case promise(PromiseCore)
  /// It handles failures, and settles a promise that says only that this is over.
  case handler(PromiseCore)
}

/// Gets the answer of an observer's body.
final class TakerAnswer: TakerQuestion, @unchecked Sendable {
  // @unchecked because its superclass is.

  /// A body that does not answer may want everything; to take nothing it has to say so.
  var taker = Taker.anything
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
    (question as? TakerAnswer)?.taker = .promise(self)
  }

  /// Answers for an observer that handles failures, and settles this promise when that is over.
  func answerAsHandler(_ question: TakerQuestion) {
    (question as? TakerAnswer)?.taker = .handler(self)
  }

  /// What an observer of this promise does with an outcome.
  fileprivate func taker(_ observer: Observer, isFulfilment: Bool) -> Taker {
    if observer.triggers.contains(.quiet) { return .nothing }
    if observer.triggers.contains(isFulfilment ? OutcomeKind.fulfilled : .rejected),
      (observer.executor ?? executor.target).isGone
    {
      return .executorGone
    }
    let answer = TakerAnswer()
    observer.body(.asked(answer), DrainContext(queue: nil))
    return answer.taker
  }

  /// How a promise stands to an outcome that comes down to it.
  private enum Standing {
    /// It is settled, or will be by something else.
    case closed
    /// Nothing observes it: it is the end of a chain.
    case end
    case observed
  }

  private var standing: Standing {
    let (standing, hold) = machine.withLock { machine -> (Standing, PromiseHold?) in
      if machine.isSettled { return (.closed, nil) }
      return (machine.isHandled ? .observed : .end, machine.hold)
    }
    return hold?.admitsOutcomes == false ? .closed : standing
  }

  /// The promises below this one, itself included, that are pending, as far as a search for demand came.
  struct PendingPromises {
    var cores: [PromiseCore] = []
    /// Of each promise, whether a callback on the way there uses the outcome.
    fileprivate var isUsed: [Bool] = []
    private var seen: [ObjectIdentifier: Bool] = [:]
    private var previous: [Int] = []
    /// The observers that were asked, to be released together with the promises.
    fileprivate var asked: [[PromiseStateMachine.Entry]] = []

    /// Adds a promise, unless it was found before; once more if the new way to it has a callback.
    @discardableResult
    fileprivate mutating func add(_ core: PromiseCore, behind place: Int, isUsed: Bool) -> Bool {
      if let before = seen[ObjectIdentifier(core)], before || !isUsed { return false }
      seen[ObjectIdentifier(core)] = isUsed
      cores.append(core)
      previous.append(place)
      self.isUsed.append(isUsed)
      return true
    }

    fileprivate func path(to place: Int, _ waiter: Waiter? = nil) -> Demand {
      var cores: [PromiseCore] = []
      var place = place
      while place >= 0 {
        cores.append(self.cores[place])
        place = previous[place]
      }
      return Demand(cores: cores.reversed(), waiter: waiter)
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
    found.add(self, behind: -1, isUsed: !isFulfilment)
    var idleEnds: Set<Int> = []
    var place = 0
    while place < found.cores.count {
      defer { place += 1 }
      let core = found.cores[place]
      if place > 0 {
        switch core.standing {
        case .closed: continue
        case .end where idleEnds.contains(place): continue
        case .end: return (found.path(to: place), found)
        case .observed: break
        }
      }
      let observers = core.machine.withLock { $0.listObservers().observers }
      found.asked.append(observers)
      for entry in observers {
        let isUsed = found.isUsed[place] || entry.observer.triggers.contains(OutcomeKind.fulfilled)
        switch core.taker(entry.observer, isFulfilment: isFulfilment) {
        case .nothing, .executorGone: continue
        case .anything: return (found.path(to: place), found)
        case .waiter(let waiter):
          if !waiter.isDetached { return (found.path(to: place, waiter), found) }
        case .promise(let target):
          if !target.isSettled { found.add(target, behind: place, isUsed: isUsed) }
        case .handler(let target):
          guard !target.isSettled, found.add(target, behind: place, isUsed: isUsed) else {
            continue
          }
          if !isUsed { idleEnds.insert(found.cores.count - 1) }
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
  ///   unless ``endClaim()`` comes first.
  /// - Parameter keep: Gets what was looked at. Another thread may have let go of it meanwhile, and its
  ///   release may run code of the user, which is not for the thread that claims.
  func claimDemand(isFulfilment: Bool, keep: (PendingPromises) -> Void) -> Bool {
    while true {
      if machine.withLock({ $0.hold }) is DeliveryClaim { return true }
      let (demand, pending) = findDemand(isFulfilment: isFulfilment)
      keep(pending)
      guard let demand else { return false }
      if DeliveryClaim.claim(demand) != nil { return true }
    }
  }

  /// Lets go of observers below this promise that will never do anything, and abandons those whose
  /// executor is gone.
  func releaseIdleObservers(isFulfilment: Bool) {
    for core in findDemand(isFulfilment: isFulfilment).pending.cores {
      let (entries, removalCount) = core.machine.withLock { $0.listObservers() }
      var idle: Set<Int> = []
      var abandoned: Set<Int> = []
      for (place, entry) in entries.enumerated() {
        switch core.taker(entry.observer, isFulfilment: isFulfilment) {
        case .executorGone: abandoned.insert(place)
        case .nothing where !entry.observer.triggers.contains(.quiet): idle.insert(place)
        case .waiter(let waiter) where waiter.isDetached: idle.insert(place)
        // Some run on every outcome, also if it is known how their promise ends.
        case .promise(let target) where entry.observer.triggers != .always && target.isSettled:
          idle.insert(place)
        case .handler(let target) where target.isSettled: idle.insert(place)
        default: continue
        }
      }
      let removed = core.machine.withLock {
        $0.removeObservers(at: idle.union(abandoned), ifRemovalsAre: removalCount)
      }
      guard !removed.isEmpty else { continue }
      for place in abandoned.sorted() {
        Job(entries[place].observer, fate: .fulfilled).abandon()
      }
    }
  }

  /// Wakes `watcher` when something below may want the outcome that nothing wanted so far.
  func watchForDemand(_ watcher: Waiter, isFulfilment: Bool) {
    for core in findDemand(isFulfilment: isFulfilment).pending.cores {
      _ = core.machine.withLock { $0.watch(watcher) }
    }
    // Something may have come before its promise was watched.
    if isSettled || findDemand(isFulfilment: isFulfilment).demand != nil { watcher.wake(.settled) }
  }

  /// Makes this promise lazy again, unless something observes it; `starter` runs with the next observer.
  func rest(untilObserved starter: @escaping PromiseStateMachine.Starter) -> Bool {
    let released = machine.withLock { $0.rest(untilObserved: starter) }
    return released != nil
  }
}
