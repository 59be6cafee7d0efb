import LedgerModelTestSupport
import PromiseLedgerTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Commands that end dead sessions: the commit may come long after the look that found them.
@Suite(.timeLimit(.minutes(10))) struct DeathNoticeTests {
  private let store = WatchedStore()
  private let registry = ScriptedRegistry()
  private let inbox = Inbox()
  private let committer: GroupCommitter

  /// Opens session 1, which commits, and three others.
  init() throws {
    committer = GroupCommitter(
      inbox: inbox, replica: Replica(), clock: SystemLedgerClock(), session: .numbered(1),
      role: .app, sessions: registry)
    let opening = OpenSession(.sample(), newLedgerID: store.ledgerID)
    let others = (2...4).map { Job(OpenForeignSession(id: .numbered($0))) { _ in } }
    try commit(first: [Job(opening) { _ in }] + others)
  }

  private func commit(first: [Job] = []) throws {
    let error = committer.commitGroup(
      to: store, first: first, takesCommands: first.isEmpty, stallTimeout: .seconds(5))
    if let error { throw error }
  }

  private func notices() -> [Job] {
    (2...4).map { .deathNotice(.open(.numbered($0), processID: .max), registry) }
  }

  private func ended() throws -> [SessionID] {
    try StoreSubject(store: store).events()
      .filter { $0.kind == .sessionClosed }.map { SessionID(entityID: $0.subject) }
  }

  @Test(arguments: [SessionFinding.alive, .frozen], [true, false])
  func aSessionThatShowsASignOfLifeBeforeTheCommitIsNotEnded(
    sign: SessionFinding, comesFirst: Bool
  ) throws {
    store.onCommit = { [registry] in registry.set(sign, of: .numbered(3)) }
    let answer = Flag()
    let last = Job(CreatePromise(.numbered(1))) { _ in answer.set() }
    let jobs = notices() + [last]
    if comesFirst {
      try commit(first: jobs)
    } else {
      for job in jobs { inbox.add(job) }
      try commit()
    }
    #expect(try ended() == [.numbered(2), .numbered(4)])
    #expect(registry.removed == [.numbered(2), .numbered(4)])
    // All of them in one look.
    #expect(registry.looks == [[.numbered(2), .numbered(3), .numbered(4)]])
    #expect(answer.isSet)
  }

  @Test func aStoreThatLosesARaceLooksAgain() throws {
    store.store.simulateConflicts(1)
    registry.afterLook = { [registry] in registry.set(.alive, of: .numbered(2)) }
    for job in notices() { inbox.add(job) }
    try commit()
    #expect(registry.looks.count == 2)
    #expect(try ended() == [.numbered(3), .numbered(4)])
  }

  @Test func withoutANoticeTheRegistryIsNotAsked() throws {
    inbox.add(Job(CreatePromise(.numbered(1))) { _ in })
    try commit()
    #expect(registry.looks == [])
  }
}

/// A registry with scripted answers; by default a session is dead.
private final class ScriptedRegistry: SessionRegistry {
  private struct Contents {
    var findings: [SessionID: SessionFinding] = [:]
    var looks: [[SessionID]] = []
    var removed: [SessionID] = []
    var afterLook: (@Sendable () -> Void)?
  }

  private let contents = Mutex(Contents())

  /// The sessions of each look.
  var looks: [[SessionID]] { contents.withLock { $0.looks } }

  var removed: [SessionID] { contents.withLock { $0.removed } }

  /// Called once after the next look.
  var afterLook: (@Sendable () -> Void)? {
    get { contents.withLock { $0.afterLook } }
    set { contents.withLock { $0.afterLook = newValue } }
  }

  func set(_ finding: SessionFinding, of session: SessionID) {
    contents.withLock { $0.findings[session] = finding }
  }

  func begin(_ session: SessionID) -> any SessionHold { UnwatchedSessions().begin(session) }

  func findings(of sessions: [SessionEntity]) -> [SessionFinding] {
    let (findings, afterLook) = contents.withLock { contents in
      contents.looks.append(sessions.map(\.id))
      return (sessions.map { contents.findings[$0.id] ?? .dead }, contents.afterLook.take())
    }
    afterLook?()
    return findings
  }

  func deadSessions() -> [SessionID] { [] }

  func removeLeftovers(of sessions: [SessionID]) {
    contents.withLock { $0.removed += sessions }
  }
}
