import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerRuntimeTesting
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerPostgreSQL
import Synchronization
import Testing

@testable import LedgerPostgreSQL

/// Connections that are lost in the middle of a commit: the outcome is found out, and nothing that was
/// acknowledged is lost, doubled or moved.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct LostConnectionTests {
  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  private static let faults = ServerProxy.Fate.allCases.filter { $0 != .passes }

  @Test(arguments: faults)
  func theOutcomeOfACommitAloneIsFoundOut(fate: ServerProxy.Fate) throws {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let writer = try PostgreSQLWriter(proxied.place(direct))
    try writer.append()
    try loseAnAppend(fate, by: proxied.proxy, of: writer) { (outcome, base) throws in
      let isWritten = fate == .answerIsLost
      #expect(
        outcome == (isWritten ? .appended(through: base.advanced(by: 1)) : .headMoved(to: base)))
      // What arrives now is too late for ever.
      proxied.proxy.release()
      #expect(try server.log(of: direct) == writer.acknowledged)
    }
    try writer.append()
    #expect(try server.log(of: direct) == writer.acknowledged)
  }

  @Test(arguments: faults)
  func theOutcomeOfACommitAmongOthersIsFoundOut(fate: ServerProxy.Fate) throws {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let writer = try PostgreSQLWriter(proxied.place(direct))
    let other = try PostgreSQLWriter(direct)
    try other.append()
    // The lost transaction holds the row, so what is late arrives before anything can be found out.
    try loseAnAppend(fate, by: proxied.proxy, of: writer, releasesBeforeJudging: true) {
      (outcome, base) throws in
      #expect(
        outcome
          == (fate == .isLost ? .headMoved(to: base) : .appended(through: base.advanced(by: 1))))
    }
    try other.append()
    try writer.append()
    #expect(
      try server.log(of: direct)
        == writer.acknowledged.merging(other.acknowledged) { one, _ in one })
  }

  /// Another session writes before the outcome is judged.
  @Test func anEventOfAnotherOneInItsPlaceIsNotTakenForTheCommit() throws {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let writer = try PostgreSQLWriter(proxied.place(direct))
    let other = Mutex(try PostgreSQLWriter(direct))
    try writer.append()
    let isHit = Flag()
    proxied.proxy.setPlan { trip in
      guard trip.appends, isHit.raise() else { return .passes }
      #expect(throws: Never.self) { try other.withLock { writer in try writer.append() } }
      return .isLost
    }
    let turn = try writer.store.beginCommit(Patience(.seconds(30)))
    #expect(try writer.tryToAppend(after: turn.head) == .headMoved(to: Position(rawValue: 2)))
    writer.store.endCommit()
    try writer.append()
    let others = other.withLock { $0.acknowledged }
    #expect(
      try server.log(of: direct) == writer.acknowledged.merging(others) { one, _ in one })
  }

  /// The server ends the transaction that holds the row, and another session writes.
  @Test func aLockThatWasLostIsTakenAnew() throws {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let writer = try PostgreSQLWriter(proxied.place(direct))
    let other = try PostgreSQLWriter(direct)
    try other.append()
    let turn = try writer.store.beginCommit(Patience(.seconds(30)))
    try server.terminateConnections(of: proxied.application)
    try other.append()
    // As a session decides that has seen the other's event.
    let base = turn.head.advanced(by: 1)
    #expect(try writer.tryToAppend(after: base) == .appended(through: base.advanced(by: 1)))
    writer.store.endCommit()
    #expect(
      try server.log(of: direct)
        == writer.acknowledged.merging(other.acknowledged) { one, _ in one })
  }

  /// The server is away for longer than a command waits for other writers, as during a failover.
  @Test func aCommandOutlastsTheSearchForItsOutcome() async throws {
    let proxied = try server.makeProxy()
    var configuration = LedgerConfiguration()
    configuration.writerStallTimeout = .seconds(1)
    let ledger = try await Ledger.open(
      proxied.place(), as: .app, configuration: configuration)
    _ = try await ledger.createPromise(of: Int.self)
    let backAt = Mutex<Duration?>(nil)
    proxied.proxy.setPlan { trip in
      backAt.withLock { time in
        if time == nil, trip.appends { time = MonotonicClock.now + .seconds(2) }
        return time.map { MonotonicClock.now < $0 } ?? false ? .isLost : .passes
      }
    }
    let promise = try await ledger.createPromise(of: Int.self)
    #expect(backAt.withLock { $0 } != nil)
    #expect(try await promise.record?.status == .pending)
    await ledger.close()
  }

  @Test func aServerThatStaysAwayLeavesTheOutcomeUnknown() throws {
    let proxied = try server.makeProxy()
    var place = try proxied.place()
    place.reconnectionPatience = .milliseconds(200)
    let writer = try PostgreSQLWriter(place)
    try writer.append()
    proxied.proxy.setPlan { trip in
      guard trip.appends else { return .isLost }
      return .answerIsLost
    }
    let error = #expect(throws: LedgerError.self) { try writer.append() }
    #expect(error?.code == .commitOutcomeUnknown)
  }

  /// Hits the next round trip that appends, appends once, and passes the outcome on.
  private func loseAnAppend(
    _ fate: ServerProxy.Fate, by proxy: ServerProxy, of writer: PostgreSQLWriter,
    releasesBeforeJudging: Bool = false,
    _ check: (AppendOutcome, _ base: Position) throws -> Void
  ) throws {
    let isHit = Flag()
    proxy.setPlan { [weak proxy] trip in
      if trip.raisesEpoch, releasesBeforeJudging { proxy?.release() }
      return trip.appends && isHit.raise() ? fate : .passes
    }
    let turn = try writer.store.beginCommit(Patience(.seconds(30)))
    defer { writer.store.endCommit() }
    try check(writer.tryToAppend(after: turn.head), turn.head)
    #expect(isHit.isRaised)
  }

  /// Rows outlive their connection, to which libpq would send a notice.
  @Test func aMissingRowIsNotAskedOfLibpq() throws {
    let connection = try Connection(ConnectionSettings(server.connection()))
    let rows = try connection.run("SELECT 1 WHERE false")
    #expect(rows.isNull(0, 0))
    #expect(rows.bytes(0, 0).isEmpty)
    #expect(throws: PostgreSQLError.self) { try rows.int4(0, 0) }
    #expect(connection.notices.take() == [])
  }

  // MARK: The snapshot

  @Test(arguments: faults)
  func theOutcomeOfAFoldIsFoundOut(fate: ServerProxy.Fate) throws {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let writer = try PostgreSQLWriter(proxied.place(direct))
    try writer.append()
    let isHit = Flag()
    proxied.proxy.setPlan { [weak proxy = proxied.proxy] trip in
      // The lost transaction holds the row of the snapshot.
      if isHit.isRaised { proxy?.release() }
      return trip.text.contains("SET position = $2") && isHit.raise() ? fate : .passes
    }
    let old = try writer.store.snapshotSummary()
    var new = old
    new.position = Position(rawValue: 1)
    new.logDigest = LogDigest(position: new.position, bytes: LogDigest.start.bytes)
    let result = Result {
      try writer.store.changeSnapshot([], from: old, to: new, patience: Patience(.seconds(30)))
    }
    #expect(isHit.isRaised)
    let reader = try PostgreSQLWriter(direct)
    let stored = try withExtendedLifetime(reader) { try reader.store.snapshotSummary() }
    switch result {
    case .success: #expect(fate != .isLost && stored == new)
    case .failure(let error):
      #expect(fate == .isLost && stored == old)
      #expect((error as? LedgerError)?.code == .unavailable)
    }
  }
}

/// Something that happens once.
private final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isRaised: Bool { value.load(ordering: .acquiring) }

  /// - Returns: Whether it was not raised before.
  func raise() -> Bool { !value.exchange(true, ordering: .acquiringAndReleasing) }
}
