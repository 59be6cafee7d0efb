/// The reasons why a promise is not settled or consumed, or a handler not called, at one moment.
///
/// ```swift
/// let explanation = try await ledger.explanation(of: promise.id)
/// for reason in explanation?.reasons ?? [] { print(reason, reason.remedies) }
/// ```
///
/// It is computed from the events and from the sessions whose processes are alive, and invents nothing: for
/// example, a session does not tell the ledger which kinds it runs, so the reasons do not either.
public struct Explanation: Sendable, Hashable {
  /// The promise or handler.
  public let id: EntityID
  /// The time for which the reasons hold.
  public let time: Timestamp
  /// The reasons, the most important one first.
  public let reasons: [Reason]
  /// The promises that it waits for by way of others: the first awaits the second, and so on. It is empty
  /// unless it awaits a promise that itself awaits one.
  public let chain: [PromiseID]

  /// A reason.
  @nonexhaustive public enum Reason: Sendable, Hashable {
    /// The trigger of work is not reached.
    case waits(Wait)
    /// Work was parked.
    case parked(Parking)
    /// Other work of the lane comes first.
    case lane(LaneBlock)
    /// A session runs the code of work.
    case runs(Run)
    /// Work is due, and no session has started it.
    case due(Due)
    /// The time of a promise is limited.
    case deadline(Deadline)
    /// A promise waits for something outside the ledger.
    case outside(Outside)
    /// A handler waits to be called, or for the end of a call.
    case call(Call)
    /// The promise or handler cannot be changed.
    case blocked(Block)
    /// Nothing more will happen to it.
    case ended(End)
  }

  package init(id: EntityID, time: Timestamp, reasons: [Reason], chain: [PromiseID] = []) {
    (self.id, self.time, self.reasons, self.chain) = (id, time, reasons, chain)
  }
}

extension Explanation.Reason: CustomStringConvertible {
  private var content: any ExplainedReason {
    switch self {
    case .waits(let reason): reason
    case .parked(let reason): reason
    case .lane(let reason): reason
    case .runs(let reason): reason
    case .due(let reason): reason
    case .deadline(let reason): reason
    case .outside(let reason): reason
    case .call(let reason): reason
    case .blocked(let reason): reason
    case .ended(let reason): reason
    }
  }

  /// The reason as a sentence.
  public var description: String { content.description }

  /// The name of the reason, which does not change.
  public var name: String { content.facts.name }

  /// The time since which the reason holds, if the ledger knows it.
  public var since: Timestamp? { content.facts.since }

  /// The time at which the reason ends by itself, if there is one.
  public var until: Timestamp? { content.facts.until }

  /// The other promises that the reason is about.
  public var promises: [PromiseID] { content.facts.promises }

  /// The handlers that the reason is about.
  public var handlers: [HandlerID] { content.facts.handlers }

  /// The sessions that the reason is about.
  public var sessions: [SessionID] { content.facts.sessions }

  /// The actions that end the reason, the usual one first.
  public var remedies: [Explanation.Remedy] { content.remedies }
}

/// A reason of one family.
protocol ExplainedReason: Sendable, CustomStringConvertible {
  var facts: ReasonFacts { get }
  var remedies: [Explanation.Remedy] { get }
}

/// The facts that all reasons have in common.
struct ReasonFacts {
  var name: String
  var promises: [PromiseID] = []
  var handlers: [HandlerID] = []
  var sessions: [SessionID] = []
  var since: Timestamp?
  var until: Timestamp?

  init(
    _ name: String, promises: [PromiseID] = [], handlers: [HandlerID] = [],
    sessions: [SessionID] = [], since: Timestamp? = nil, until: Timestamp? = nil
  ) {
    self.name = name
    self.promises = promises
    self.handlers = handlers
    self.sessions = sessions
    self.since = since
    self.until = until
  }
}
