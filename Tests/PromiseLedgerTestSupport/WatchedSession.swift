package import LedgerModel
package import LedgerModelTestSupport
package import LedgerRuntime
import LedgerRuntimeTesting

/// One session on a store, without threads.
package final class WatchedSession {
  package let replica = Replica()
  private let store: any EventStore
  private let inbox = Inbox()
  private let committer: GroupCommitter

  package init(
    _ store: any EventStore, _ number: Int, clock: any LedgerClock, role: SessionRole = .app
  ) throws {
    self.store = store
    committer = GroupCommitter(
      inbox: inbox, replica: replica, clock: clock, session: .numbered(number), role: role,
      sessions: UnwatchedSessions())
    _ = try replica.catchUp(from: store, sliceEventCount: 1_000)
    let opening = OpenSession(
      .sample(role: role, instance: "instance \(number)"), newLedgerID: store.ledgerID)
    try check(
      committer.commitGroup(
        to: store, first: [Job(opening) { _ in }], takesCommands: false, stallTimeout: .seconds(5)))
  }

  /// Commits a group of commands.
  package func commit(_ commands: [some Command] = [CreatePromise]()) throws {
    for command in commands { inbox.add(Job(command) { _ in }) }
    repeat {
      try check(committer.commitGroup(to: store, stallTimeout: .seconds(5)))
    } while inbox.hasCommands
  }

  /// Commits a group of commands of several kinds.
  package func commitAny(_ commands: [any Command], to other: (any EventStore)? = nil) throws {
    for command in commands { inbox.add(Self.job(command)) }
    try check(committer.commitGroup(to: other ?? store, stallTimeout: .seconds(5)))
  }

  private static func job(_ command: some Command) -> Job { Job(command) { _ in } }

  package func promise(_ number: Int) throws -> PromiseEntity? {
    try replica.look(with: store) { state in try state.promise(.numbered(number)) }
  }

  private func check(_ error: LedgerError?) throws {
    if let error { throw error }
  }
}

extension WatchedStore {
  /// Folds up to a position, or all.
  package func fold(through end: Position? = nil) throws {
    var folder = Folder()
    let end = try end ?? head()
    while try folder.step(of: store, through: end, limit: 1_000) != nil {}
  }
}
