import Foundation
import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import LedgerRuntimeTesting
@testable import PromiseLedger

/// Sessions that end otherwise than by an orderly close, and commands about them that are refused.
@Suite(.timeLimit(.minutes(5))) struct SessionEndTests {
  private let temporary: TemporaryLedger
  private let log = AwaitedLog()

  init() throws { temporary = try TemporaryLedger() }

  private var configuration: LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.logger = log.logger
    return configuration
  }

  private func lockFile(of ledger: Ledger) -> String {
    LedgerDirectory(temporary.path).sessionLock(ledger.session)
  }

  // MARK: Refusals

  @Test func anOpeningThatIsRefusedIsAnError() async throws {
    let directory = LedgerDirectory(temporary.path)
    let openStore = { @Sendable () throws(LedgerError) -> any EventStore in
      // Too small for any event.
      try LMDBEventStore.openOrCreate(
        directory, options: StoreOptions(sizeLimit: 1, reserve: 0),
        newLedgerID: LedgerID(entityID: .numbered(1)), now: .at(0))
    }
    let error = await #expect(throws: LedgerError.self) {
      _ = try await Ledger.open(
        openStore, FileSessionRegistry(in: directory), as: .app, configuration: configuration)
    }
    #expect(error?.code == .ledgerFull)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.sessions) == [])
  }

  @Test func aRefusedFreezeIsSaid() async throws {
    let app = try await temporary.open(configuration: configuration)
    try await end(app)
    #expect(try await app.freeze() == false)
    #expect(log.warnings == ["the freeze was not recorded"])
    await expect(.sessionEnded) { try await app.unfreeze() }
  }

  @Test func commandsOfASessionThatWasEndedAreRefused() async throws {
    let helper = try await temporary.open(as: .appExtension, configuration: configuration)
    try await end(helper)
    await expect(.sessionEnded) { _ = try await helper.createPromise(of: Int.self) }
    await helper.close()
  }

  @Test func aRefusedUnfreezeAndCloseAreSaid() async throws {
    let store = InMemoryEventStore()
    let app = try await Ledger.open(
      { store }, UnwatchedSessions(), as: .app, configuration: configuration)
    try block(app, in: store)
    #expect(try await app.freeze() == false)
    await expect(.unsupportedEvent) { try await app.unfreeze() }
    await app.close()
    #expect(log.warnings == ["the freeze was not recorded"])

    let other = try await Ledger.open(
      { store }, UnwatchedSessions(), as: .app, configuration: configuration)
    try block(other, in: store)
    await other.close()
    #expect(
      log.warnings == ["the freeze was not recorded", "the close was not recorded"])
  }

  @Test func aFreezeAndCloseThatAreRecordedSayNothing() async throws {
    let app = try await temporary.open(configuration: configuration)
    #expect(try await app.freeze())
    try await app.unfreeze()
    await app.close()
    #expect(log.warnings.isEmpty)
  }

  // MARK: Ended while frozen

  @Test func unfreezingASessionThatWasEndedClosesTheLedger() async throws {
    let app = try await temporary.open(configuration: configuration)
    let promise = try await app.createPromise(of: Int.self)
    let waiting = Task { try await promise.consume() }
    try await app.freeze()
    let next = try await temporary.open(configuration: configuration)
    try await next.engine.submit(CloseSession(id: app.session, reason: .died))
    let writing = Task { try await app.createPromise(of: Int.self) }
    await expect(.sessionEnded) { try await app.unfreeze() }
    await expect(.sessionEnded) { _ = try await waiting.value }
    await #expect(throws: LedgerError.self) { _ = try await writing.value }
    await expect(.sessionEnded) { _ = try await promise.record }
    await expect(.closed) { try await app.unfreeze() }
    #expect(!FileManager.default.fileExists(atPath: lockFile(of: app)))
    await app.close()
    #expect(try await next.promise(id: promise.id, of: Int.self).fulfill(1).isSuccess)
    await next.close()
  }

  @Test func aSessionClosedWhileFrozenIsRecordedAsDiedByTheNext() async throws {
    let app = try await temporary.open(configuration: configuration)
    try await app.freeze()
    #expect(FileManager.default.fileExists(atPath: lockFile(of: app)))
    await app.close()
    #expect(!FileManager.default.fileExists(atPath: lockFile(of: app)))

    let helper = try await temporary.open(as: .appExtension, configuration: configuration)
    let inspector = try BlockingInspector(at: temporary.path)
    let deaths = try inspector.events().filter { $0.kind == .sessionClosed }
    #expect(deaths.map(\.subject) == [app.session.entityID])
    #expect(try deaths.first?.decode(as: SessionClosed.self)?.reason == .died)
    await helper.close()
  }

  // MARK: Another log

  @Test func aLogThatWasReplacedByAnOlderOneIsRefused() async throws {
    await (try temporary.open()).close()
    let (ledger, copy, aside) = (temporary.path, temporary.path + ".copy", temporary.path + ".new")
    let files = FileManager.default
    try files.copyItem(atPath: ledger, toPath: copy)

    let app = try await temporary.open(configuration: configuration)
    let promise = try await app.createPromise(of: Int.self)
    try await app.freeze()
    try files.moveItem(atPath: ledger, toPath: aside)
    try files.moveItem(atPath: copy, toPath: ledger)
    await expect(.corrupt) { try await app.unfreeze() }

    // It is still frozen: with its own log it comes back.
    try files.removeItem(atPath: ledger)
    try files.moveItem(atPath: aside, toPath: ledger)
    try await app.unfreeze()
    #expect(try await promise.fulfill(1).isSuccess)
    await app.close()
  }

  @Test func anotherLedgerInThePlaceOfTheFrozenOneIsRefused() async throws {
    let app = try await temporary.open(configuration: configuration)
    try await app.freeze()
    try FileManager.default.removeItem(atPath: temporary.path)
    await (try temporary.open(as: .appExtension)).close()
    await expect(.historyChanged) { try await app.unfreeze() }
    await app.close()
  }

  // MARK: Support

  /// Records the death of a session that is alive, as a process would that took it for dead.
  private func end(_ ledger: Ledger) async throws {
    let other = try await temporary.open(as: .operator)
    try await other.engine.submit(CloseSession(id: ledger.session, reason: .died))
    await other.close()
  }

  /// Writes an event of a newer build about the session: this build must no longer write to it.
  private func block(_ ledger: Ledger, in store: InMemoryEventStore) throws {
    _ = try store.commit(
      CommitID(session: .numbered(1), number: 1), after: try store.head(),
      patience: Patience(.seconds(5)), catchUp: { (_) throws(LedgerError) in },
      decide: { (_, _) throws(LedgerError) in
        var batch = EventBatch()
        try batch.append(
          NewEvent(
            kind: EventKind(rawValue: 60_000), version: 1, time: .at(0),
            subject: ledger.session.entityID, payload: []))
        return batch
      })
  }

  private func expect(
    _ code: LedgerError.Code, sourceLocation: Testing.SourceLocation = #_sourceLocation,
    _ body: () async throws -> Void
  ) async {
    let error = await #expect(throws: LedgerError.self, sourceLocation: sourceLocation) {
      try await body()
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
  }
}
