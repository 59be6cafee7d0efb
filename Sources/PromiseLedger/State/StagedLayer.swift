/// The changes that a commit in the making has made so far, over a durable state.
///
/// Only the writer sees it. It is merged after the commit succeeded and dropped otherwise, so no
/// reader ever sees an event that is not durable.
package struct StagedLayer: Sendable {
  /// The position of the state below.
  package let basePosition: Position
  package private(set) var position: Position
  package private(set) var time: Timestamp
  package private(set) var ledgerID: LedgerID?
  package private(set) var promises: [PromiseID: PromiseEntity] = [:]
  package private(set) var handlers: [HandlerID: HandlerEntity] = [:]
  package private(set) var sessions: [SessionID: SessionEntity] = [:]
  package private(set) var blocked: [EntityID: ReplayProblem] = [:]
  /// The promises changed, in the order of their first change.
  package private(set) var changedPromises: [PromiseID] = []

  /// The handlers changed, in the order of their first change.
  package private(set) var changedHandlers: [HandlerID] = []

  package init(over base: LedgerState) {
    basePosition = base.position
    position = base.position
    time = base.time
  }

  /// Applies an event of the commit through the same reducer that replay uses.
  ///
  /// - Throws: `internalInconsistency` if the event does not fit: a decision was wrong.
  package mutating func apply(
    _ event: borrowing EventView, over base: LedgerState
  ) throws(LedgerError) {
    position = event.position
    time = max(time, event.time)
    do throws(ReplayProblem) {
      switch event.kind {
      case .promiseCreated, .promiseResolved, .promiseConsumed, .promiseAbandoned:
        let id = PromiseID(entityID: event.subject)
        if promises[id] == nil { changedPromises.append(id) }
        if var entity = promises[id] ?? base.promise(id) {
          try entity.apply(event)
          promises[id] = entity
        } else {
          promises[id] = try PromiseEntity(creating: event)
        }
      case .handlerCreated, .handlerRebound, .handlerCallStarted, .handlerCallReleased,
        .handlerCallFinished, .handlerInvalidated, .handlerInvalidationFinished:
        let id = HandlerID(entityID: event.subject)
        if handlers[id] == nil { changedHandlers.append(id) }
        if var entity = handlers[id] ?? base.handler(id) {
          try entity.apply(event)
          handlers[id] = entity
        } else {
          handlers[id] = try HandlerEntity(creating: event)
        }
      case .sessionOpened, .sessionFrozen, .sessionUnfrozen, .sessionClosed:
        let id = SessionID(entityID: event.subject)
        if var entity = sessions[id] ?? base.sessions[id] {
          try entity.apply(event)
          sessions[id] = entity
        } else {
          sessions[id] = try SessionEntity(opening: event)
        }
      case .ledgerCreated:
        ledgerID = LedgerID(entityID: event.subject)
      default:
        throw ReplayProblem(.unsupported(event.kind, version: event.version), at: event.position)
      }
    } catch {
      throw LedgerError(
        .internalInconsistency,
        "A decision made an event that does not fit: \(error.reason). Nothing was written; please report this."
      )
    }
  }
}
