import LedgerModel
import LedgerOracle

/// The rules that hold for a log whatever the commands were, checked on its events alone.
struct LogAudit {
  private struct Work {
    var lane: (name: String, width: Int)?
    var attempt: UInt32 = 0
    var runner: SessionID?
    var steps: Set<StepIdentity> = []
  }

  private(set) var position = Position.start
  private var facts: [Oracle.Fact] = []
  private var roles: [SessionID: SessionRole] = [:]
  private var work: [EntityID: Work] = [:]
  private var settled: Set<EntityID> = []
  private var closed: Set<EntityID> = []
  private var oneShot: Set<EntityID> = []
  private var called: Set<EntityID> = []

  func facts(from position: Int, count: Int) -> [Oracle.Fact] {
    guard position > 0, position - 1 + count <= facts.count else { return [] }
    return Array(facts[(position - 1)..<(position - 1 + count)])
  }

  /// - Returns: The rule that the event breaks.
  mutating func take(_ event: LedgerEvent) -> String? {
    guard event.position == position.advanced(by: 1) else {
      return "Position \(event.position) follows \(position)."
    }
    position = event.position
    facts.append(Oracle.Fact(event.kind, event.subject))
    do {
      return try problem(of: event).map { "Event \(event.position), \(event.kind): \($0)." }
    } catch {
      return "Event \(event.position) cannot be decoded: \(error)"
    }
  }

  private mutating func problem(of event: LedgerEvent) throws -> String? {
    let id = event.subject
    switch event.kind {
    case .sessionOpened:
      roles[SessionID(entityID: id)] = try SessionOpened(decoding: event.payload).role
    case .promiseCreated:
      guard let created = try PromiseCreated(decoding: event.payload).work else { break }
      work[id] = Work(lane: created.options.lane.map { ($0.name, $0.width) })
    case .promiseResolved:
      guard settled.insert(id).inserted else { return "it was settled before" }
      let resolved = try PromiseResolved(decoding: event.payload)
      if let attempt = resolved.attempt, !isNewest(id, attempt, of: event.session) {
        return "another session runs the work"
      }
      work[id]?.runner = nil
    case .promiseConsumed:
      guard closed.insert(id).inserted, settled.contains(id) else {
        return "it is pending, or was consumed before"
      }
      guard roles[event.session] == .app else { return "only the app may consume" }
    case .promiseAbandoned:
      guard closed.insert(id).inserted else { return "it was closed before" }
      settled.insert(id)
      work[id]?.runner = nil
    case .handlerCreated:
      if try HandlerCreated(decoding: event.payload).repetition == .oneShot { oneShot.insert(id) }
    case .handlerCallFinished:
      if oneShot.contains(id), !called.insert(id).inserted { return "it was called before" }
    default: return try problemOfWork(event, id)
    }
    return nil
  }

  private func isNewest(_ id: EntityID, _ attempt: UInt32, of session: SessionID) -> Bool {
    work[id]?.attempt == attempt && work[id]?.runner == session
  }

  private mutating func problemOfWork(_ event: LedgerEvent, _ id: EntityID) throws -> String? {
    switch event.kind {
    case .workStarted:
      let started = try WorkStarted(decoding: event.payload)
      guard let old = work[id], !settled.contains(id), started.attempt == old.attempt + 1 else {
        return "attempt \(started.attempt) cannot begin"
      }
      work[id]?.attempt = started.attempt
      work[id]?.runner = event.session
      guard let lane = old.lane else { break }
      let count = work.values.count { $0.lane?.name == lane.name && $0.runner != nil }
      if count > lane.width { return "lane \(lane.name) is too full" }
    case .workReleased:
      let released = try WorkReleased(decoding: event.payload)
      guard work[id]?.runner != nil, work[id]?.attempt == released.attempt else {
        return "attempt \(released.attempt) does not run"
      }
      work[id]?.runner = nil
    case .workStepFinished:
      let finished = try WorkStepFinished(decoding: event.payload)
      guard isNewest(id, finished.attempt, of: event.session) else {
        return "another session runs the work"
      }
      guard work[id]?.steps.insert(finished.step).inserted ?? false else {
        return "the step was finished before"
      }
    case .workAmended:
      if let options = try WorkAmended(decoding: event.payload).options {
        work[id]?.lane = options.lane.map { ($0.name, $0.width) }
      }
    default: break
    }
    return nil
  }
}
