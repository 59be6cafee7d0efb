import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerRuntimeTesting
import LedgerSystem
import Synchronization
import Testing

@testable import PromiseLedgerPostgreSQL

/// Commits of one and of several writers, without faults.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct CommitTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  @Test func aSessionAloneCommitsInOneRoundTrip() throws {
    let proxied = try server.makeProxy()
    let trips = Recorder<String>()
    proxied.proxy.setPlan { trip in
      // Others are told of commits by another connection, when it has time.
      if !trip.isAboutNews { trips.add(trip.text) }
      return .passes
    }
    let writer = try PostgreSQLWriter(proxied.place())
    try writer.append()
    for use in [writer.append, writer.append, writer.confirm, writer.append] {
      let count = trips.all.count
      try use()
      #expect(trips.all.count == count + 1)
    }
  }

  /// The round trips in which a session alone makes commits.
  private func commits(_ count: Int) throws -> [RoundTrip] {
    let proxied = try server.makeProxy()
    let commits = Recorder<RoundTrip>()
    proxied.proxy.setPlan { trip in
      if trip.appends { commits.add(trip) }
      return .passes
    }
    let writer = try PostgreSQLWriter(proxied.place())
    for _ in 0..<count { try writer.append() }
    return commits.all
  }

  @Test func theServerParsesTheStatementsOfCommitsOnce() throws {
    #expect(try commits(4).suffix(2).map(\.parsedCount) == [0, 0])
  }

  /// As after the `DISCARD ALL` of a pooler.
  @Test(arguments: [true, false])
  func aSessionWhoseStatementsAreGoneCommits(isAlone: Bool) throws {
    let place = try server.makePlace()
    let writer = try PostgreSQLWriter(place)
    for _ in 0..<2 { try writer.append() }
    let store = try #require(writer.store as? PostgreSQLEventStore)
    if !isAlone { store.forgetOwn() }
    let connection = try store.pool.borrow()
    try connection.run("DEALLOCATE ALL")
    store.pool.giveBack(connection)
    try writer.append()
    #expect(try server.log(of: place) == writer.acknowledged)
    #expect(writer.acknowledged.count == 3)
  }

  /// A notification in a transaction takes a lock of the whole server.
  @Test func noCommitNotifies() throws {
    let commits = try commits(3)
    #expect(commits.count == 3)
    #expect(!commits.contains { $0.text.lowercased().contains("notify") })
  }

  /// The server tells the time before it has made the commit durable.
  @Test func aCommitThatTookLongDoesNotTurnTheTimeBack() throws {
    let writer = try PostgreSQLWriter(server.makePlace())
    try writer.append()
    let store = try #require(writer.store as? PostgreSQLEventStore)
    let row = try #require(store.state.withLock { $0.own })
    _ = try store.head()
    let before = store.now()
    store.noteOwn(row)
    #expect(store.now() >= before)
  }

  /// A thread that reads sees the event of another session before the writer notes its own commit.
  @Test func aCommitThatIsNotedLateIsNotTakenForTheEnd() throws {
    let place = try server.makePlace()
    let (writer, other) = (try PostgreSQLWriter(place), try PostgreSQLWriter(place))
    try writer.append()
    let store = try #require(writer.store as? PostgreSQLEventStore)
    let row = try #require(store.state.withLock { $0.own })
    try other.append()
    let head = try store.head()
    store.noteOwn(row)
    #expect(try store.beginCommit(Patience(.seconds(30))).head == head)
    store.endCommit()
  }

  @Test func ofTwoWritersTheSlowerOneDecidesAgainAndThenWaitsForItsTurn() throws {
    let place = try server.makePlace()
    let (first, second) = (try PostgreSQLWriter(place), try PostgreSQLWriter(place))
    try first.append()
    try second.append()
    // It believes that it is alone.
    let turn = try first.store.beginCommit(Patience(.seconds(5)))
    #expect(turn.head == Position(rawValue: 1))
    #expect(try first.tryToAppend(after: turn.head) == .headMoved(to: Position(rawValue: 2)))
    // From then on, it keeps the other out.
    let error = #expect(throws: LedgerError.self) {
      _ = try second.store.beginCommit(Patience(.milliseconds(50)))
      defer { second.store.endCommit() }
      _ = try second.tryToAppend(after: Position(rawValue: 2))
    }
    #expect(error?.code == .writerStalled)
    #expect(
      try first.tryToAppend(after: Position(rawValue: 2))
        == .appended(through: Position(rawValue: 3)))
    first.store.endCommit()
    try second.append()
    let acknowledged = first.acknowledged.merging(second.acknowledged) { one, _ in one }
    #expect(try server.log(of: place) == acknowledged)
  }

  /// A writer that believes it is alone waits for another one, which appends.
  @Test func aStricterIsolationOfTheRoleChangesNothing() async throws {
    let server = try TestServer()
    try server.run("ALTER ROLE ledger SET default_transaction_isolation = serializable")
    let place = try server.makePlace()
    let (isAlone, isLocked) = (WakeSemaphore(), WakeSemaphore())
    async let slower: Void = onThread {
      let first = try PostgreSQLWriter(place)
      try first.append()
      isAlone.signal()
      _ = isLocked.wait(timeout: .seconds(60))
      try first.append()
    }
    try await onThread {
      _ = isAlone.wait(timeout: .seconds(60))
      let second = try PostgreSQLWriter(place)
      let head = try second.store.beginCommit(Patience(.seconds(60))).head
      isLocked.signal()
      try server.awaitWait(where: "wait_event_type = 'Lock'")
      _ = try second.tryToAppend(after: head)
      second.store.endCommit()
    }
    try await slower
    #expect(try server.log(of: place).count == 3)
  }

  @Test func aWriterAmongOthersKeepsThemOutWhileItDecides() throws {
    let place = try server.makePlace()
    let (first, second) = (try PostgreSQLWriter(place), try PostgreSQLWriter(place))
    _ = try first.store.beginCommit(Patience(.seconds(5)))
    let error = #expect(throws: LedgerError.self) {
      _ = try second.store.beginCommit(Patience(.milliseconds(50)))
    }
    #expect(error?.code == .writerStalled)
    first.store.endCommit()
    _ = try second.store.beginCommit(Patience(.seconds(5)))
    second.store.endCommit()
  }

  /// What a session does with its store.
  enum Use: CaseIterable, Sendable {
    case look, confirm, append

    fileprivate func run(_ writer: PostgreSQLWriter) throws {
      switch self {
      case .look: _ = try writer.store.head()
      case .confirm: try writer.confirm()
      case .append: try writer.append()
      }
    }
  }

  /// Its archive may be under way.
  @Test func anOpenSessionDoesNotCompactASealedLedger() throws {
    let place = try server.makePlace()
    let writer = try PostgreSQLWriter(place)
    try writer.append()
    try server.damageRow(of: place, "state = 'sealed'")
    let old = try writer.store.snapshotSummary()
    var new = old
    new.position = Position(rawValue: 1)
    let delete = TableChange(.log, new.position.bigEndianBytes, nil)
    let error = #expect(throws: LedgerError.self) {
      try writer.store.changeSnapshot([delete], from: old, to: new, patience: Patience(.seconds(5)))
    }
    #expect(error?.code == .sealed)
    #expect(try writer.store.snapshotSummary() == old)
    #expect(try server.log(of: place) == writer.acknowledged)
  }

  /// An older copy of the database was restored, and another session wrote as many events to it.
  @Test(arguments: Use.allCases)
  func aRestoredCopyIsFoundOut(use: Use) throws {
    let place = try server.makePlace()
    let session = try PostgreSQLWriter(place)
    try session.append()
    let copy = try server.copyOfLog(of: place)
    try session.append()
    try server.restoreLog(of: place, copy)
    try PostgreSQLWriter(place).append()
    let log = try server.log(of: place)
    let error = #expect(throws: LedgerError.self) { try use.run(session) }
    #expect(error?.code == .historyChanged)
    #expect(try server.log(of: place) == log)
  }

  /// As above, with more events than were lost, under sessions of which one reads and one writes.
  @Test func aRestoredCopyEndsSessions() async throws {
    let place = try server.makePlace()
    let reader = try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
    let writer = try await Ledger.open(
      place, as: .appExtension, configuration: LedgerConfiguration())
    let promise = try await writer.createPromise(of: Int.self)
    let copy = try server.copyOfLog(of: place)
    try await promise.fulfill(1)
    #expect(try await reader.promise(id: promise.id, of: Int.self).record?.status == .resolved)
    try server.restoreLog(of: place, copy)
    let stranger = try await Ledger.open(place, as: .operator, configuration: LedgerConfiguration())
    for _ in 0..<5 { _ = try await stranger.createPromise(of: Int.self) }
    // An open session would record that the others are gone.
    await stranger.close()
    let log = try server.log(of: place)
    let unread = await #expect(throws: LedgerError.self) {
      try await reader.promise(id: promise.id, of: Int.self).record
    }
    let unwritten = await #expect(throws: LedgerError.self) {
      try await writer.createPromise(of: Int.self)
    }
    #expect(unread?.code == .historyChanged)
    #expect(unwritten?.code == .historyChanged)
    await reader.close()
    await writer.close()
    #expect(try server.log(of: place) == log)
  }
}
