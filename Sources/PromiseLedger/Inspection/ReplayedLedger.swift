/// What replay makes of a ledger's events, at one position.
public struct ReplayedLedger: Sendable {
  private let state: LedgerState
  private let log: any EventSource
  private let directory: LedgerDirectory

  init(_ state: LedgerState, of log: any EventSource, in directory: LedgerDirectory) {
    self.state = state
    self.log = log
    self.directory = directory
  }

  /// The last event that was applied.
  public var position: Position { state.position }

  /// What the ledger knows about a promise, or `nil` if there is none.
  ///
  /// - Throws: ``LedgerError`` with `corrupt`.
  public func record(of id: PromiseID) throws(LedgerError) -> PromiseRecord? {
    guard let entity = try state.promise(id) else { return nil }
    return try entity.record { (position, byteCount) throws(LedgerError) in
      try log.attachment(of: position, byteCount: byteCount)
    }
  }

  /// Hands over every promise that is wanted, in the order of creation.
  ///
  /// Large values are not read: a record has its ``PromiseRecord/outcomeKind`` and no
  /// ``PromiseRecord/outcome`` then.
  ///
  /// - Parameters:
  ///   - isWanted: Tells from the record.
  ///   - body: Gets each record; it ends the walk by returning `false`.
  /// - Throws: ``LedgerError`` with `corrupt`, and what `body` throws.
  /// - Complexity: O(promises).
  public func forEachPromise(
    where isWanted: (PromiseRecord) -> Bool = { _ in true },
    _ body: (PromiseRecord) throws -> Bool
  ) throws {
    for entity in state.promises.all {
      let isLarge = entity.resolution?.attachmentByteCount ?? 0 > 0
      let outcome = isLarge ? nil : try entity.storedOutcome { (_, _) throws(LedgerError) in [] }
      let record = try PromiseRecord(entity, outcome: outcome)
      guard isWanted(record) else { continue }
      guard try body(record) else { return }
    }
  }

  /// Whether a promise is resolved, and whoever created it cannot consume it any more: its session
  /// ended, its process is gone, or it is an app extension.
  ///
  /// A process that waits for the promise by its key or id cannot be seen from here.
  public func isStale(_ record: PromiseRecord) -> Bool {
    guard record.status == .resolved else { return false }
    guard let creator = state.sessions[record.created.session] else { return true }
    if creator.isEnded || creator.opened.role == .appExtension { return true }
    return creator.status == .open && SessionLock.look(directory, creator.id) == .dead
  }
}

extension LedgerInspector {
  private static let sliceEventCount = 10_000

  /// Replays all events.
  ///
  /// - Parameter progress: Called now and then with the position reached.
  /// - Throws: ``LedgerError`` with `corrupt`.
  /// - Complexity: O(events) in time, O(promises) in memory.
  public func replay(
    progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> ReplayedLedger {
    var state = LedgerState()
    while true {
      let position = state.position
      let last = try log.read(after: position, limit: Self.sliceEventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: state.position) { (event) throws(LedgerError) in
          try state.apply(event)
        }
      }
      guard last > position else { break }
      progress(last)
    }
    return ReplayedLedger(state, of: log, in: directory)
  }
}

extension LedgerInspector {
  /// What the ledger knows about one promise, or `nil` if there is none, without keeping others in
  /// memory.
  ///
  /// - Parameters:
  ///   - id: The promise.
  ///   - progress: Called now and then with the position reached.
  /// - Throws: ``LedgerError`` with `corrupt` or `unsupportedEvent`.
  /// - Complexity: O(events).
  public func record(
    of id: PromiseID, progress: (Position) -> Void = { _ in }
  ) throws(LedgerError) -> PromiseRecord? {
    var entity: PromiseEntity?
    var position = Position.start
    while true {
      let last = try log.read(after: position, limit: Self.sliceEventCount) {
        (frame) throws(LedgerError) in
        try frame.forEachEvent(after: position) { (event) throws(LedgerError) in
          guard event.subject == id.entityID else { return }
          do throws(ReplayProblem) {
            if entity == nil {
              entity = try PromiseEntity(creating: event)
            } else {
              try entity?.apply(event)
            }
          } catch {
            throw error.refusal(of: id.entityID)
          }
        }
      }
      guard last > position else { break }
      position = last
      progress(position)
    }
    return try entity?.record { (position, byteCount) throws(LedgerError) in
      try log.attachment(of: position, byteCount: byteCount)
    }
  }
}
