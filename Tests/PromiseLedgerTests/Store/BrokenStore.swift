import LedgerSystem
import Synchronization

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting

/// A store in memory that breaks one rule of the contract.
final class BrokenStore: ForwardingEventStore {
  /// What is wrong, and the rule that it breaks.
  enum Bug: String, CaseIterable, Sendable {
    case beginsWithAnEvent = "A new store ends at the start"
    case losesTheLastEvent = "Appended events are read in their order"
    case skipsAnEvent = "Reading starts after any position"
    case beginsAgainAtTheEnd = "Nothing stands after the last event"
    case ignoresLimits = "A limit ends the read with the frame that reaches it"
    case forgets = "Events are there when the store is opened again"
    case cutsValues = "A value beside an event comes back whole"
    case inventsValues = "A missing value is corrupt, and no other one fails with it"
    case keepsValues = "A value is deleted whole, and alone"
    case checksNothing = "A check finds values that no event names"
    case hidesTheHeadCommit = "A commit begins at the newest event"
    case appendsAnywhere = "Events that were decided on another position are not appended"
    case ringsForNothing = "A commit without events changes nothing"
    case confirmsAnything = "An answer without events is based on the newest event"
    case appendsWhenGivenUp = "A commit that is given up changes nothing"
    case namesTheFirstCommit = "Each event names the commit that wrote it"
    case neverRings = "A commit about deadlines changes the watched count"
    case hearsOnlyItself = "A commit of another wakes those who wait"
    case letsAllCompact = "One at a time holds the lock of compaction"
    case beginsWithASnapshot = "A new store has no snapshot"
    case losesARecord = "Every record of a snapshot comes back as it was put"
    case walksFromTheStart = "A table is walked from any key, in the order of its keys"
    case keepsEntries = "A record that is removed leaves nothing"
    case changesAnySnapshot = "A snapshot that moved is not changed"
    case showsOldSummary = "A reader of a snapshot that moved is told so"
    case skipsDeletedEvents = "A read of deleted events says where the log begins"
    case takesFrozenForDead = "A session is alive until it freezes, and when it comes back"
    case mixesFindings = "Findings are in the order of the sessions"
    case endsLivingSessions = "Nothing is removed of a session that is alive"
    case keepsEndedSessions = "A session that ended or left nothing is dead"
    case letsNobodyCompact = "A ledger on the store has the state of one in memory"
    case readsLate = "A session sees at once what another one has committed"
  }

  let base: any EventStore
  private let bug: Bug
  private let isCommitting = Mutex(false)
  private let ownChangeCount = Atomic<UInt32>(0)
  /// The first summary of a snapshot that was read.
  private let oldSummary = Mutex<[UInt8]?>(nil)

  init(_ base: any EventStore, _ bug: Bug) {
    self.base = base
    self.bug = bug
  }

  // MARK: Events

  func read(
    after position: Position, limit: Int, _ body: (FrameView) throws(LedgerError) -> Void
  ) throws(LedgerError) -> Position {
    var (start, limit) = (position, limit)
    if bug == .skipsAnEvent, position.rawValue == 20 { start = position.advanced(by: 60) }
    if bug == .beginsAgainAtTheEnd, try position > base.head() { start = .start }
    if bug == .ignoresLimits { limit = .max }
    if bug == .skipsDeletedEvents { start = try max(start, base.snapshotSummary().deletedThrough) }
    return try base.read(after: start, limit: limit, body)
  }

  func commit(at position: Position) throws(LedgerError) -> CommitID? {
    if bug == .namesTheFirstCommit { return try base.commit(at: Position(rawValue: 1)) }
    return try base.commit(at: position)
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    try base.attachments(wanted).map { found in
      switch bug {
      case .cutsValues: found.map { Array($0.prefix(4_072)) }
      case .inventsValues: .success((try? found.get()) ?? [])
      default: found
      }
    }
  }

  func view(_ request: ViewRequest) throws(LedgerError) -> StoreView {
    var request = request
    if bug == .readsLate, !isCommitting.withLock({ $0 }) { request.eventsAfter = nil }
    return try base.view(request)
  }

  // MARK: Commits

  func beginCommit(_ patience: Patience) throws(LedgerError) -> CommitTurn {
    isCommitting.withLock { $0 = true }
    if bug == .ringsForNothing { base.interruptWaits() }
    let turn = try base.beginCommit(patience)
    guard bug == .hidesTheHeadCommit else { return turn }
    return CommitTurn(head: turn.head, nil, room: turn.room)
  }

  func append(
    _ batch: EventBatch, _ commit: CommitID, after position: Position
  ) throws(LedgerError) -> AppendOutcome {
    isCommitting.withLock { $0 = false }
    if !batch.isEmpty { ownChangeCount.wrappingAdd(1, ordering: .relaxed) }
    switch bug {
    case .losesTheLastEvent where batch.count > 1:
      _ = try base.append(
        try StoreSubject.batch(batch.count - 1), commit, after: position)
      return .appended(through: position.advanced(by: batch.count))
    case .appendsAnywhere: return try base.append(batch, commit, after: base.head())
    default: return try base.append(batch, commit, after: position)
    }
  }

  func newerHead(than position: Position) throws(LedgerError) -> Position? {
    bug == .confirmsAnything ? nil : try base.newerHead(than: position)
  }

  func endCommit() {
    let isGivenUp = isCommitting.withLock { isCommitting in
      defer { isCommitting = false }
      return isCommitting
    }
    if bug == .appendsWhenGivenUp, isGivenUp { try? addEvent() }
    base.endCommit()
  }

  fileprivate func addEvent() throws(LedgerError) {
    _ = try base.append(
      try StoreSubject.batch(1), CommitID(session: StoreSubject.session, number: 99),
      after: try base.head())
  }

  var changeCount: UInt32 {
    switch bug {
    case .neverRings: 7
    case .hearsOnlyItself: ownChangeCount.load(ordering: .relaxed)
    default: base.changeCount
    }
  }

  func waitForChange(since count: UInt32, timeout: Duration) {
    if bug != .hearsOnlyItself { base.waitForChange(since: count, timeout: timeout) }
  }

  func lockForCompaction() throws(LedgerError) -> (any CompactionHold)? {
    switch bug {
    case .letsAllCompact: return FreeHold()
    case .letsNobodyCompact: return nil
    default: return try base.lockForCompaction()
    }
  }

  // MARK: The snapshot

  func changeSnapshot(
    _ changes: [TableChange], from old: SnapshotSummary, to new: SnapshotSummary,
    patience: Patience
  ) throws(LedgerError) -> Duration {
    var (changes, old) = (changes, old)
    switch bug {
    case .keepsValues: changes.removeAll { $0.table == .blob }
    case .losesARecord: changes.removeFirst(min(1, changes.count))
    case .keepsEntries: changes.removeAll { $0.table == .open && $0.value == nil }
    case .changesAnySnapshot: old = try base.snapshotSummary()
    default: break
    }
    return try base.changeSnapshot(changes, from: old, to: new, patience: patience)
  }

  func readSnapshot<R>(
    _ body: (any SnapshotTables) throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    try base.readSnapshot { (tables) throws(LedgerError) in
      var broken = BrokenTables(base: tables)
      broken.checksNothing = bug == .checksNothing
      broken.walksFromTheStart = bug == .walksFromTheStart
      if bug == .showsOldSummary {
        let current = try tables.value(forKey: SnapshotSummary.key, in: .meta)
        broken.summary = oldSummary.withLock { old in
          old = old ?? current
          return old
        }
      }
      return try body(broken)
    }
  }
}

extension LedgerStorage {
  /// A storage whose stores break a rule of the contract.
  static func broken(_ bug: BrokenStore.Bug) -> LedgerStorage {
    LedgerStorage { (time) throws(LedgerError) in
      let place = try LedgerStorage.memory.makePlace(time)
      let first = BrokenStore(try place.openStore(), bug)
      if bug == .beginsWithAnEvent { try first.addEvent() }
      if bug == .beginsWithASnapshot {
        var summary = SnapshotSummary()
        summary.position = Position(rawValue: 1)
        _ = try first.base.changeSnapshot(
          [], from: SnapshotSummary(), to: summary, patience: Patience(.seconds(1)))
      }
      return Place(sessions: BrokenSessions(base: place.sessions, bug: bug)) {
        () throws(LedgerError) in
        BrokenStore(bug == .forgets ? InMemoryEventStore() : try place.openStore(), bug)
      }
    }
  }
}

private final class FreeHold: CompactionHold {
  func release() {}
}

private struct BrokenTables: SnapshotTables {
  let base: any SnapshotTables
  var checksNothing = false
  var walksFromTheStart = false
  /// The summary to show in place of the stored one.
  var summary: [UInt8]?

  func values(
    forKeys keys: [[UInt8]], in table: SnapshotTable
  ) throws(LedgerError) -> [[UInt8]?] {
    var values = try base.values(forKeys: keys, in: table)
    if let summary, table == .meta {
      for (index, key) in keys.enumerated() where key == SnapshotSummary.key {
        values[index] = summary
      }
    }
    return values
  }

  func show(_ changes: ArraySlice<TableChange>) throws(LedgerError) -> [Bool] {
    try base.show(changes)
  }

  func entryCount(of table: SnapshotTable) throws(LedgerError) -> Int {
    try base.entryCount(of: table)
  }

  func scan(
    _ table: SnapshotTable, from start: [UInt8],
    _ body: (_ key: [UInt8], _ value: [UInt8]) throws(LedgerError) -> Bool
  ) throws(LedgerError) {
    try base.scan(table, from: walksFromTheStart ? [0] : start, body)
  }

  func attachments(
    _ wanted: [AttachmentReference]
  ) throws(LedgerError) -> [Result<[UInt8], LedgerError>] {
    try base.attachments(wanted)
  }

  func auditOfAttachments() -> any AttachmentAudit {
    checksNothing ? NoAudit() : base.auditOfAttachments()
  }
}

private struct NoAudit: AttachmentAudit {
  func check(
    from first: Position, through last: Position, _ byteCounts: [Position: Int],
    step: () -> Void, report: (String, Position?) -> Void
  ) throws(LedgerError) {}

  func checkCount(report: (String) -> Void) throws(LedgerError) -> Bool { false }
}

private struct BrokenSessions: SessionRegistry {
  let base: any SessionRegistry
  let bug: BrokenStore.Bug

  func begin(_ session: SessionID) throws(LedgerError) -> any SessionHold {
    let hold = try base.begin(session)
    return switch bug {
    case .takesFrozenForDead: BrokenHold(freezing: hold.end, ending: hold.end)
    case .keepsEndedSessions: BrokenHold(freezing: {}, ending: {})
    default: hold
    }
  }

  func findings(of sessions: [SessionEntity]) throws(LedgerError) -> [SessionFinding] {
    let findings = try base.findings(of: sessions)
    guard bug == .mixesFindings else { return findings }
    return findings.sorted { "\($0)" < "\($1)" }
  }

  func deadSessions() -> [SessionID] { base.deadSessions() }

  func removeLeftovers(of sessions: [SessionID]) {
    if bug == .endsLivingSessions {
      for session in sessions { (try? base.begin(session))?.end() }
    }
    base.removeLeftovers(of: sessions)
  }
}

private final class BrokenHold: SessionHold {
  private let freezing: @Sendable () -> Void
  private let ending: @Sendable () -> Void

  init(freezing: @escaping @Sendable () -> Void, ending: @escaping @Sendable () -> Void) {
    self.freezing = freezing
    self.ending = ending
  }

  func freeze() { freezing() }
  func end() { ending() }
}
