// MARK: - Creations

extension Oracle {
  /// The properties of a new promise.
  package struct Creation: Hashable, Sendable, Codable {
    package var type = 0
    package var key: Int?
    package var deadline: Int?
    /// Whether the deadline fulfils the promise.
    package var isTimer = false
    package var endsWhenSettled = false
    package var parent: Int?
    package var source = Source.outside

    package init() {}
  }

  package enum Source: Hashable, Sendable, Codable {
    case outside
    case work(Work)
    case joint(Rule, [Int])
  }

  package enum Rule: Int, Hashable, Sendable, Codable, CaseIterable {
    case all, allSettled, any, race
  }

  package struct Work: Hashable, Sendable, Codable {
    /// Sessions know the kinds 0 and 1.
    package var kind: Int
    package var trigger: Trigger
    package var options = Options()
    package var references: [Int] = []

    package init(kind: Int, _ trigger: Trigger) { (self.kind, self.trigger) = (kind, trigger) }
  }

  package struct Options: Hashable, Sendable, Codable {
    package var lane: Int?
    package var width = 1
    package var policy: Policy?
    package var timeout: Int?
    package var givesUpAfter: Int?

    package init() {}
  }

  package enum Trigger: Hashable, Sendable, Codable {
    case now
    case at(Int)
    case after(Int, Settlement)
    case firstOf(Condition)
  }

  package enum Settlement: Int, Hashable, Sendable, Codable, CaseIterable {
    case fulfilled, failed, any
  }

  /// A time and promises, of which work awaits the first.
  package struct Condition: Hashable, Sendable, Codable {
    package var time: Int?
    /// In the order of numbers, each once.
    package var promises: [Int]

    package init(time: Int?, promises: [Int]) { (self.time, self.promises) = (time, promises) }
  }

  package struct HandlerCreation: Hashable, Sendable, Codable {
    package var isRepeating: Bool
    /// Sessions know the kinds 0 and 1; kind 0 has code for invalidation.
    package var kind: Int
    package var binding: Binding

    package init(isRepeating: Bool, kind: Int, _ binding: Binding) {
      (self.isRepeating, self.kind, self.binding) = (isRepeating, kind, binding)
    }
  }

  /// The arguments of a handler: a number, and promises.
  package struct Binding: Hashable, Sendable, Codable {
    package var value: Int
    package var promises: [Int]

    package init(_ value: Int, _ promises: [Int]) {
      (self.value, self.promises) = (value, promises)
    }
  }
}

// MARK: - Records

extension Oracle {
  /// What the ledger shows of a promise.
  package struct Promise: Hashable, Sendable {
    package var created: Int
    package var creator: Int
    package var creation: Creation
    package var resolution: Resolution?
    package var closing: Closing?
    package var progress: Progress?

    package init(created: Int, creator: Int, _ creation: Creation) {
      (self.created, self.creator, self.creation) = (created, creator, creation)
    }
  }

  package struct Resolution: Hashable, Sendable {
    package var position: Int
    package var outcome: Outcome
    package var at: Int
    package var key: Int?
    package var content: Content
    package var attempt: Int?
    package var verdicts: [Verdict] = []

    package init(_ position: Int, _ outcome: Outcome, at: Int, _ content: Content) {
      (self.position, self.outcome, self.at, self.content) = (position, outcome, at, content)
    }
  }

  package enum Content: Hashable, Sendable {
    case none
    case value(Int)
    case error(Domain, Int)
    case reason(Int)
    /// Too large for an event.
    case large
    /// The value of one input, or those of all.
    case joint(Int?)
  }

  package enum Domain: Hashable, Sendable { case user, work, effect }

  package enum Closing: Hashable, Sendable {
    case consumed(Int, by: Int)
    case abandoned(Int)

    package var position: Int {
      switch self {
      case .consumed(let position, _), .abandoned(let position): position
      }
    }
  }

  package struct Start: Hashable, Sendable {
    package var position: Int
    package var session: Int
    package var time: Int

    package init(_ position: Int, _ session: Int, _ time: Int) {
      (self.position, self.session, self.time) = (position, session, time)
    }
  }

  package struct Release: Hashable, Sendable {
    package var position: Int
    package var reason: ReleaseReason
    package var retryTime: Int?
    package var condition: Condition?
    /// The step that failed during the attempt.
    package var failing: Int?

    package init(_ position: Int, _ reason: ReleaseReason) {
      (self.position, self.reason) = (position, reason)
    }
  }

  package struct CancelRequest: Hashable, Sendable {
    package var position: Int
    package var reason: Int

    package init(_ position: Int, _ reason: Int) {
      (self.position, self.reason) = (position, reason)
    }
  }

  package struct Step: Hashable, Sendable {
    package var name: Int
    package var position: Int
    package var attempt: Int
    package var result: StepResult
    package var failures: Int
    package var verdicts: [Verdict]

    package init(
      _ name: Int, _ position: Int, _ attempt: Int, _ result: StepResult, failures: Int,
      _ verdicts: [Verdict]
    ) {
      (self.name, self.position, self.attempt) = (name, position, attempt)
      (self.result, self.failures, self.verdicts) = (result, failures, verdicts)
    }
  }

  package struct StepFailures: Hashable, Sendable {
    package var step: Int
    package var count: Int

    package init(_ step: Int, _ count: Int) { (self.step, self.count) = (step, count) }
  }

  /// The progress of work since its creation.
  package struct Progress: Hashable, Sendable {
    package var lastPosition = 0
    package var attempt = 0
    package var start: Start?
    package var release: Release?
    package var failures = 0
    package var deaths = 0
    package var cancelRequest: CancelRequest?
    package var hasWaited = false
    package var parking: Int?
    package var trigger: Trigger?
    package var options: Options?
    /// The promises that code awaited, but for children, each once in the order of ids.
    package var awaited: [Int] = []
    package var steps: [Step] = []
    package var stepFailures: [StepFailures] = []

    package init() {}
  }

  /// What the ledger shows of a handler.
  package struct Handler: Hashable, Sendable {
    package var created: Int
    package var creator: Int
    /// With the newest binding.
    package var creation: HandlerCreation
    /// Where it was bound.
    package var bound: Int
    package var isSpent = false
    package var invalidation: Invalidation?
    package var calls: [Int: Call] = [:]
    package var lastEnd: CallEnd?
    package var lastPosition: Int

    package init(created: Int, creator: Int, _ creation: HandlerCreation) {
      (self.created, self.creator) = (created, creator)
      (self.creation, bound, lastPosition) = (creation, created, created)
    }
  }

  package struct Invalidation: Hashable, Sendable {
    package var position: Int
    /// The start of the call that invalidated the handler; 0 if none did.
    package var cause: Int

    package init(_ position: Int, cause: Int) { (self.position, self.cause) = (position, cause) }
  }

  package struct Call: Hashable, Sendable {
    package var isCleanup: Bool
    package var attempt: Int
    package var first: Int
    package var newest: Int
    /// The session that runs it; `nil` if it was given back.
    package var runner: Int?
    package var bound: Int
    /// The promises in its arguments, and in those that were bound when it began.
    package var promises: Set<Int>

    package init(
      isCleanup: Bool, attempt: Int, first: Int, newest: Int, runner: Int?, bound: Int,
      promises: [Int]
    ) {
      (self.isCleanup, self.attempt, self.first, self.newest) = (isCleanup, attempt, first, newest)
      (self.runner, self.bound, self.promises) = (runner, bound, Set(promises))
    }
  }

  package struct CallEnd: Hashable, Sendable {
    package var position: Int
    package var call: Int
    package var attempt: Int
    package var failed: Bool
    package var verdicts: [Verdict]

    package init(
      _ position: Int, _ call: Int, attempt: Int, failed: Bool, _ verdicts: [Verdict]
    ) {
      (self.position, self.call, self.attempt) = (position, call, attempt)
      (self.failed, self.verdicts) = (failed, verdicts)
    }
  }

  /// What the ledger shows of a session.
  package struct Session: Hashable, Sendable {
    package enum Status: Hashable, Sendable { case open, frozen, closed, died }

    package var role: Role
    package var status = Status.open
    package var lastPosition: Int

    package init(_ role: Role, lastPosition: Int) {
      (self.role, self.lastPosition) = (role, lastPosition)
    }

    package var isEnded: Bool { status == .closed || status == .died }
  }
}

// MARK: - Answers

extension Oracle {
  package enum Verdict: Int, Hashable, Sendable {
    case done, deduplicated, alreadyResolved, notFound, abandoned, exists, typeMismatch
    case alreadyRunning, finished, invalidated, unregistered, blocked
  }

  package enum Refusal: Error, Hashable, Sendable {
    case sessionEnded, notFound, recordRemoved, invalidArgument, typeMismatch, promiseIsComputed
    case roleMayNotConsume, conflict, superseded
    /// An error that no command of a walk may cause.
    case other(String)
  }

  package enum Answer: Hashable, Sendable {
    case done, created, deduplicated, conflict, resolved, alreadyResolved, abandoned, notFound
    case pending, consumed, alreadyConsumed, alreadySettled, cancelled, requested, ended, amended
    case started, notDue, excluded, laneFull, suspect, parked, unregistered, superseded, exists
    case rebound, changed, running, finished, invalidated, alreadyInvalidated, taken, released
    case effectRefused
    case by(Int)
    case count(Int)
    case attempt(Int)
    case suspended(Int)
    case due(Int)
    case cancelRequested(Int)
    case flag(Bool)
    case retrying(at: Int)
    case settled([Verdict])
    case all([Answer])
    case refused(Refusal)
  }

  /// An event: its kind and its subject.
  package struct Fact: Hashable, Sendable {
    package var kind: Kind
    package var subject: Int

    package init(_ kind: Kind, _ subject: Int) { (self.kind, self.subject) = (kind, subject) }

    package enum Kind: Int, Hashable, Sendable, CaseIterable {
      case ledgerCreated, sessionOpened, sessionFrozen, sessionUnfrozen, sessionClosed
      case promiseCreated, promiseResolved, promiseConsumed, promiseAbandoned
      case workStarted, workReleased, workStepFinished, workCancelRequested, workAmended
      case handlerCreated, handlerRebound, handlerCallStarted, handlerCallReleased
      case handlerCallFinished, handlerInvalidated, handlerInvalidationFinished
      case retentionApplied
    }
  }
}
