package import LedgerModel
import LedgerRuntime
import LedgerRuntimeTesting

/// A store with a random history, and one session that compacts it step by step.
package final class CompactedStore {
  package let store: any EventStore
  package var writer: RandomLedger
  package private(set) var commits: [PureLedger.StoredCommit] = []
  package var state: LedgerState
  private var folder = Folder()
  /// The clock of the session; `nil` for one that shows the time of the newest event.
  package var clock: Timestamp?
  /// Whether the session drops the entities in the snapshot at once, or only when told to.
  package var dropsAtOnce = true

  package init(_ store: any EventStore, seed: UInt64, groupCount: Int) throws {
    self.store = store
    writer = RandomLedger(seed: seed)
    for _ in 0..<groupCount { writer.writeGroup() }
    try writer.ledger.write(to: store)
    commits = writer.ledger.commits
    state = try LedgerState.tail(of: store)
  }

  /// Everything replayed, as if no snapshot were there.
  package func replayed() throws -> LedgerState {
    let copy = InMemoryEventStore()
    try write(to: copy)
    return try LedgerState.tail(of: copy)
  }

  package func write(to copy: any EventStore) throws {
    var head = Position.start
    for commit in commits {
      head = try copy.commit(
        commit.id, after: head, patience: Patience(.seconds(5)),
        catchUp: { (_) throws(LedgerError) in }, decide: { (_, _) in commit.batch })
    }
  }

  /// - Parameter end: The last event to be folded; by default the newest.
  package func fold(limit: Int = 100, through end: Position? = nil) throws {
    let end = try end ?? store.head()
    while try folder.step(of: store, through: end, limit: limit) != nil {}
    _ = try state.rebase(onto: SnapshotReader(store), drops: dropsAtOnce)
  }

  /// Drops all or some of the entities that the snapshot has.
  package func dropFolded(placeCount: Int? = nil) {
    guard let placeCount else { return state.dropAllFolded() }
    state.beginDrop()
    _ = state.dropStep(placeCount: placeCount)
  }

  @discardableResult
  package func commit<Answer>(_ command: some Command<Answer>) throws -> Answer {
    try commit { decision in try decision.run(command) }
  }

  package func commit<Answer>(_ decide: (inout Decision) throws -> Answer) throws -> Answer {
    let id = CommitID(session: .numbered(1), number: 1_000_000 + UInt64(commits.count))
    let context = DecisionContext(session: .numbered(1), role: .app, now: clock ?? state.time)
    var decision = Decision(over: state, context: context)
    let answer = try decide(&decision)
    let batch = decision.batch
    _ = try store.commit(
      id, after: state.position, patience: Patience(.seconds(5)),
      catchUp: { (_) throws(LedgerError) in }, decide: { (_, _) in batch })
    state.merge(decision.staged)
    if !batch.isEmpty { commits.append(.init(batch: batch, id: id)) }
    return answer
  }

  /// Removes every record that ended by a time, and folds that.
  package func removeRecords(endedBy time: Timestamp) throws {
    try removeRecords(AgeLimit(cutoff: time, now: .at(.max)))
  }

  /// Removes every record that is old enough, and folds that.
  package func removeRecords(_ age: AgeLimit) throws {
    let plan = try RetentionPlan(state, endedBy: age)
    for event in plan.events {
      guard try commit(ApplyRetention(event, plannedAt: plan.position)) != nil else { return }
    }
  }

  /// Deletes every event that may go.
  @discardableResult
  package func deleteEvents(_ age: AgeLimit = .everything) throws -> Int {
    try folder.markReadBack(of: store)
    var aged = AgedEvents(
      age, after: try store.snapshotSummary().deletedThrough, through: try store.head())
    while try aged.next(of: store) {}
    var count = 0
    while let step = try EventDeletion(store).step(through: aged.last) {
      count += step.eventCount
    }
    return count
  }
}

extension AgeLimit {
  /// Everything is old enough.
  package static var everything: AgeLimit { AgeLimit(cutoff: .at(.max), now: .at(.max)) }
}
