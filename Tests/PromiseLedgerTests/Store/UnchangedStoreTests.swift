import LedgerModelTestSupport
import PromiseLedgerTestSupport
import PromiseLedgerTesting
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedger

/// The question whether a store has anything new, which spares most reads a view.
@Suite(.timeLimit(.minutes(5))) struct UnchangedStoreTests {
  @Test func aStoreIsUnchangedOnlyAtTheKnownEndOfTheKnownCommit() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/ledger"
    let configuration = CompactionSample.configuration()
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let other = try await Ledger.open(at: path, as: .appExtension, configuration: configuration)
    _ = try await ledger.createPromise(of: Int.self)
    let store = try await ledger.engine.openStore()
    let (position, known) = ledger.engine.replica.end
    let commit = try #require(known)
    let later = CommitID(session: commit.session, number: commit.number + 1)
    let before = Position(rawValue: position.rawValue - 1)
    #expect(try store.isUnchanged(since: position, commit, snapshot: .start))
    #expect(try !store.isUnchanged(since: position, later, snapshot: .start))
    #expect(try !store.isUnchanged(since: before, commit, snapshot: .start))
    #expect(try !store.isUnchanged(since: position, commit, snapshot: before))
    _ = try await other.createPromise(of: Int.self)
    #expect(try !store.isUnchanged(since: position, commit, snapshot: .start))
    await other.close()
    await ledger.close()
  }
}
