/// The rules of the ledger once more, as plain dictionaries that are changed in place.
///
/// It is written apart from the library, whose modules it does not import: for each command it says
/// the answer, the events in their order, and the records that the ledger then shows.
package struct Oracle: Sendable {
  /// What the oracle cannot derive from rules.
  package struct Constants: Sendable {
    /// The place of each number among the ids of promises.
    package var ranks: [Int]
    /// The delay after each failure of the work with a number, from 1.
    package var delays: [[Int]]
    /// Whether a number stands for an id that was made from a key.
    package var isKeyed: [Bool]

    package init(ranks: [Int], delays: [[Int]], isKeyed: [Bool]) {
      (self.ranks, self.delays, self.isKeyed) = (ranks, delays, isKeyed)
    }
  }

  /// The way in which commands are committed.
  package enum Mode: Sendable {
    /// By the commands alone.
    case plain
    /// By a session: it must not have ended, and each commit ends the deadlines that have passed.
    case engine
  }

  private enum Change: Sendable {
    case promise(Int, Promise?)
    case handler(Int, Handler?)
    case session(Int, Session?)
  }

  struct Mark {
    fileprivate let position: Int
    fileprivate let changeCount: Int
    fileprivate let factCount: Int
  }

  let constants: Constants
  let mode: Mode
  /// The position of the newest event.
  package private(set) var position = 0
  /// The position of the snapshot.
  package internal(set) var snapshot = 0
  package private(set) var promises: [Int: Promise] = [:]
  package private(set) var handlers: [Int: Handler] = [:]
  package private(set) var sessions: [Int: Session] = [:]
  /// The promises and handlers whose records were removed.
  package internal(set) var removedPromises: Set<Int> = []
  package internal(set) var removedHandlers: Set<Int> = []
  /// The events of the newest command.
  package private(set) var facts: [Fact] = []
  private var changes: [Change] = []
  private(set) var particulars = Particulars()
  private(set) var session = 0
  private(set) var now = 0

  package init(_ constants: Constants, _ mode: Mode) {
    (self.constants, self.mode) = (constants, mode)
  }

  // MARK: Commands

  /// Carries out a command.
  ///
  /// - Parameter particulars: What the caller knew of the ledger; by default what is so now.
  package mutating func run(_ step: OracleStep, _ particulars: Particulars? = nil) -> Answer {
    self.particulars = particulars ?? self.particulars(of: step.command)
    facts.removeAll(keepingCapacity: true)
    changes.removeAll(keepingCapacity: true)
    (session, now) = (step.session, step.now)
    let start = mark
    do throws(Refusal) {
      if mode == .engine, !step.command.isAboutSnapshot {
        if !step.command.opensSession { try requireOwnSession() }
        timeOutDue()
      }
      let mark = mark
      do throws(Refusal) {
        return try decide(step.command)
      } catch {
        rollBack(to: mark)
        return .refused(error)
      }
    } catch {
      rollBack(to: start)
      return .refused(error)
    }
  }

  private mutating func decide(_ command: OracleCommand) throws(Refusal) -> Answer {
    switch command {
    case .create(let id, let creation, let isStrict, let adoptsAny):
      try create(id, creation, isStrict: isStrict, adoptsAny: adoptsAny)
    case .resolve(let id, let resolve): try self.resolve(id, resolve)
    case .consume(let id): try consume(id)
    case .abandon(let id): try abandon(id)
    case .timeOutDue: .count(timeOutDue())
    case .look(let id): look(id)
    case .open(let role): open(role)
    case .freeze: try freeze()
    case .unfreeze: try unfreeze()
    case .close(let id, let died): close(id, died: died)
    case .createTogether(let id, let creation, let handler, let handlerCreation):
      try createTogether(id, creation, handler, handlerCreation)
    case .fold: fold()
    case .removeRecords: removeRecords()
    case .deleteEvents: .done
    default: try decideAboutCode(command)
    }
  }

  private mutating func decideAboutCode(_ command: OracleCommand) throws(Refusal) -> Answer {
    switch command {
    case .claim(let ids): try claim(ids)
    case .finish(let id, _, let result, let effects, let policy):
      try finish(id, particulars.attempt, result, effects, policy)
    case .step(let id, _, let step, let result, let failures, let effects):
      try finishStep(id, particulars.attempt, step, result, failures, effects)
    case .suspend(let id, _, let condition, let awaited, let failing):
      try suspend(id, particulars.attempt, condition, awaited, failing)
    case .takeUp(let id, _): try takeUpAlone(id, particulars.attempt)
    case .release(let id, _, let reason): release(id, particulars.attempt, reason)
    case .cancel(let id): try cancel(id)
    case .amend(let id, let amendment): try amend(id, amendment)
    case .retry(let id): try retry(id)
    case .follow(let promise, let ids): follow(promise, by: ids)
    case .settleJoints(let ids): settle(joints: ids)
    case .releaseLeft(let ids): releaseLeft(ids)
    case .createHandler(let id, let creation): try createHandler(id, creation)
    case .rebind(let id, let binding, _): try rebind(id, binding, particulars.bound)
    case .call(let id, let call, let references, _):
      try start(id, call, references, particulars.bound)
    case .retryCall(let id, let call, _, let mayTakeOwn):
      try retryCall(id, call, particulars.attempt, mayTakeOwn: mayTakeOwn)
    case .releaseCall(let id, let call, _):
      try releaseCall(id, call, particulars.attempt)
    case .finishCall(let id, let call, _, let fails, let effects, let rejects):
      try finishCall(
        id, call, particulars.attempt, fails: fails, effects, rejects: rejects)
    case .invalidate(let id, let call, let runsCode, _):
      try invalidate(id, call, runsCode: runsCode, particulars.bound)
    default: .refused(.other("\(command)"))
    }
  }

  // MARK: Parts of commands

  var role: Role { sessions[session]?.role ?? .other }

  func requireOwnSession() throws(Refusal) {
    guard let own = sessions[session], !own.isEnded else { throw .sessionEnded }
  }

  func isBefore(_ left: Int, _ right: Int) -> Bool {
    constants.ranks[left] < constants.ranks[right]
  }

  /// The promises that meet a condition, in the order of their ids.
  func ids(where isMeant: (Promise) -> Bool) -> [Int] {
    var ids: [Int] = []
    for (id, promise) in promises where isMeant(promise) { ids.append(id) }
    return ids.count < 2 ? ids : ids.sorted(by: isBefore)
  }

  // MARK: Events

  var mark: Mark {
    Mark(position: position, changeCount: changes.count, factCount: facts.count)
  }

  mutating func rollBack(to mark: Mark) {
    position = mark.position
    facts.removeLast(facts.count - mark.factCount)
    while changes.count > mark.changeCount {
      switch changes.removeLast() {
      case .promise(let id, let promise): promises[id] = promise
      case .handler(let id, let handler): handlers[id] = handler
      case .session(let id, let session): sessions[id] = session
      }
    }
  }

  /// The position of the next event.
  mutating func append(_ kind: Fact.Kind, _ subject: Int) -> Int {
    position += 1
    facts.append(Fact(kind, subject))
    return position
  }

  mutating func set(_ id: Int, _ kind: Fact.Kind, _ make: (Int) -> Promise) {
    changes.append(.promise(id, promises[id]))
    promises[id] = make(append(kind, id))
  }

  /// Appends an event of a promise that exists.
  mutating func change(_ id: Int, _ kind: Fact.Kind, _ body: (inout Promise, Int) -> Void) {
    changes.append(.promise(id, promises[id]))
    let position = append(kind, id)
    if promises[id] != nil { body(&promises[id]!, position) }
  }

  /// Appends an event about the progress of work.
  mutating func advance(_ id: Int, _ kind: Fact.Kind, _ body: (inout Progress, Int) -> Void) {
    change(id, kind) { promise, position in
      var progress = promise.progress ?? Progress()
      progress.lastPosition = position
      body(&progress, position)
      promise.progress = progress
    }
  }

  mutating func set(handler id: Int, _ make: (Int) -> Handler) {
    changes.append(.handler(id, handlers[id]))
    handlers[id] = make(append(.handlerCreated, id))
  }

  mutating func change(handler id: Int, _ kind: Fact.Kind, _ body: (inout Handler, Int) -> Void) {
    changes.append(.handler(id, handlers[id]))
    let position = append(kind, id)
    guard var handler = handlers[id] else { return }
    handlers[id] = nil
    body(&handler, position)
    handler.lastPosition = position
    handlers[id] = handler
  }

  mutating func change(session id: Int, _ kind: Fact.Kind, _ body: (inout Session?, Int) -> Void) {
    changes.append(.session(id, sessions[id]))
    let position = append(kind, id)
    body(&sessions[id], position)
    sessions[id]?.lastPosition = position
  }

  /// Forgets records that were removed; no command rolls that back.
  mutating func remove(promises ids: [Int], handlers handlerIDs: [Int], sessions sessionIDs: [Int])
  {
    for id in ids { promises[id] = nil }
    for id in handlerIDs { handlers[id] = nil }
    for id in sessionIDs { sessions[id] = nil }
    removedPromises.formUnion(ids)
    removedHandlers.formUnion(handlerIDs)
  }
}

extension OracleCommand {
  package var opensSession: Bool { if case .open = self { true } else { false } }

  /// Whether the command is about the snapshot, so that no session decides it.
  package var isAboutSnapshot: Bool {
    switch self {
    case .fold, .deleteEvents: true
    default: false
    }
  }
}

extension Oracle.Fact.Kind {
  package var isOfPromise: Bool {
    (Self.promiseCreated.rawValue...Self.workAmended.rawValue).contains(rawValue)
  }

  package var isOfHandler: Bool {
    (Self.handlerCreated.rawValue...Self.handlerInvalidationFinished.rawValue).contains(rawValue)
  }
}
