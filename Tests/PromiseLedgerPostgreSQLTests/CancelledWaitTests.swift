import Foundation
import LedgerModel
import LedgerPostgreSQL
import LedgerPostgreSQLFaults
import LedgerPostgreSQLTestSupport
import LedgerSystem
import PromiseLedgerPostgreSQL
import Synchronization
import Testing

/// A server whose standby does not answer, so that somebody cancels what waits for it.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct CancelledWaitTests {
  /// The commit is on one disk then, and no standby has it. The role may ask for errors only.
  @Test(arguments: ["notice", "error"])
  func aCommitIsNotAcknowledgedIfItsWaitForTheStandbyIsCancelled(level: String) throws {
    let server = try TestServer()
    try server.run("ALTER ROLE ledger SET client_min_messages = \(level)")
    var place = try server.makePlace()
    place.reconnectionPatience = .milliseconds(200)
    let writer = try PostgreSQLWriter(place)
    try writer.append()
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try server.run("SELECT pg_reload_conf()")
    let cancelling = try Cancelling(on: server)
    let error = #expect(throws: LedgerError.self) {
      // The first of them may come before the server knows of the standby.
      for _ in 0..<500 { try writer.append() }
    }
    cancelling.end()
    #expect(error?.code == .commitOutcomeUnknown)
    #expect(cancelling.count > 0)
    let log = try server.log(of: place)
    #expect(log.count == writer.acknowledged.count + 1, "The commit is in the log nevertheless.")
    #expect(log.merging(writer.acknowledged) { $1 } == log)
  }

  /// The server forgets a request that comes before it has the statement.
  @Test func aStatementIsCancelledThoughTheFirstRequestComesTooEarly() throws {
    let server = try TestServer.shared.get()
    let proxied = try server.makeProxy()
    let connection = try Connection(ConnectionSettings(proxied.connection))
    proxied.proxy.setPlan { trip in
      if trip.text.contains("pg_sleep") { Thread.sleep(forTimeInterval: 0.5) }
      return .passes
    }
    let error = #expect(throws: PostgreSQLError.self) {
      try connection.run([Statement("SELECT pg_sleep(20)")], until: { true })
    }
    #expect(error?.state == .queryCanceled)
  }

  @Test func aSessionFreezesAlthoughItsCommitWaitsForAStandby() async throws {
    let server = try TestServer()
    let place = try server.makePlace()
    let ledger = try await Ledger.open(place, as: .app)
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try server.run("SELECT pg_reload_conf()")
    let creating = Task {
      while true { _ = try await ledger.createPromise(of: Int.self) }
    }
    try await onThread { try server.awaitWait(where: "wait_event = 'SyncRep'") }
    let isOver = WakeSemaphore()
    // A freeze that waited would otherwise wait for ever.
    async let isLate = onThread {
      let isLate = !isOver.wait(timeout: .seconds(30))
      try server.run("ALTER SYSTEM RESET synchronous_standby_names")
      try server.run("SELECT pg_reload_conf()")
      return isLate
    }
    let start = MonotonicClock.now
    let isFrozen = try await ledger.freeze()
    isOver.signal()
    // Otherwise the commands wait until the session is back.
    try #require(!isFrozen)
    #expect(MonotonicClock.now - start < place.reconnectionPatience / 3)
    #expect(try await !isLate)
    let error = await #expect(throws: LedgerError.self) { try await creating.value }
    #expect(error?.code == .commitOutcomeUnknown)
    try await ledger.unfreeze()
    _ = try await ledger.createPromise(of: Int.self)
    await ledger.close()
  }

  @Test func anImportIsNotAcknowledgedIfItsWaitForTheStandbyIsCancelled() async throws {
    let server = try TestServer()
    let place = try server.makePlace()
    let ledger = try await Ledger.open(place, as: .app)
    _ = try await ledger.createPromise(of: Int.self)
    await ledger.close()
    let archive = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
    try Data().write(to: URL(filePath: archive))
    defer { try? FileManager.default.removeItem(atPath: archive) }
    let file = try FileHandle(forUpdating: URL(filePath: archive))
    let inspector = try await Ledger.inspect(place)
    try await inspector.export { piece in try file.write(contentsOf: Data(piece)) }
    inspector.close()
    try server.run("ALTER SYSTEM SET synchronous_standby_names = '*'")
    try server.run("SELECT pg_reload_conf()")
    let cancelling = try Cancelling(on: server)
    let copy = try server.place("copy", schema: TestServer.schema)
    let error = try await onThread {
      #expect(throws: LedgerError.self) { try LedgerImport().makeLedger(at: copy, from: [archive]) }
    }
    cancelling.end()
    #expect(error?.code == .commitOutcomeUnknown)
  }
}

/// Cancels whatever waits for a standby, until it is told to end.
private final class Cancelling: Sendable {
  private let isOver = Atomic<Bool>(false)
  private let cancelCount = Atomic<Int>(0)
  private let thread = Mutex<SystemThread?>(nil)

  init(on server: TestServer) throws {
    let started = try SystemThread.start(name: "cancelling") { [self] in
      while !isOver.load(ordering: .acquiring) {
        let cancelled = try? server.run(
          "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        cancelCount.add(cancelled?.count ?? 0, ordering: .relaxed)
      }
    }
    thread.withLock { $0 = started }
  }

  var count: Int { cancelCount.load(ordering: .relaxed) }

  func end() {
    isOver.store(true, ordering: .releasing)
    thread.withLock { $0 }?.join()
  }
}
