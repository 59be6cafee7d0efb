import LedgerPromises
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The sessions that an extension sees of its app, and that an app sees at once.
@Suite(.timeLimit(.minutes(5)))
struct OpenSessionsTests {
  private let temporary: TemporaryLedger

  init() throws { temporary = try TemporaryLedger() }

  private func isAppOpen(_ ledger: Ledger) async throws -> Bool {
    try await ledger.openSessions().contains { $0.opened.role == .app && $0.status == .open }
  }

  @Test func anExtensionSeesWhetherTheAppIsThere() async throws {
    let helper = try await temporary.open(as: .appExtension)
    #expect(try await helper.openSessions().map(\.id) == [helper.session])
    #expect(try await !isAppOpen(helper))
    let app = try await temporary.open(as: .app)
    #expect(try await isAppOpen(helper))
    #expect(try await Set(helper.openSessions().map(\.id)) == [helper.session, app.session])
    try await app.freeze()
    #expect(try await !isAppOpen(helper))
    try await app.unfreeze()
    #expect(try await isAppOpen(helper))
    await app.close()
    #expect(try await !isAppOpen(helper))
    await helper.close()
  }

  @Test func anExtensionHearsOfAnAppThatOpens() async throws {
    let ledger = try await temporary.open(as: .appExtension)
    let position = try await ledger.catchUp()
    let app = try await temporary.open(as: .app)
    var opened: SessionID?
    for try await event in ledger.events(after: position) {
      if try event.decode(as: SessionOpened.self)?.role == .app {
        opened = event.session
        break
      }
    }
    #expect(opened == app.session)
    await app.close()
    await ledger.close()
  }
}
