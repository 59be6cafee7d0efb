import LedgerHistories
import LedgerLMDB
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import Logging
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if DEBUG
  extension CrashTests {
    /// Commits that fail, seen by others.
    @Suite(.timeLimit(.minutes(1))) struct CommitTests {
      private let temporary: TemporaryLedger
      private let faults = FaultInjector()

      init() throws { temporary = try TemporaryLedger() }

      @Test(arguments: [LMDBStatus.system(.inputOutput), .system(.noSpace), .panic])
      func theEventsOfAFailedCommitAreNeverSeen(_ status: LMDBStatus) async throws {
        let ledger = try await open()
        let promise = try await ledger.createPromise(of: Int.self)
        let before = try await promise.record
        let head = try await ledger.catchUp()
        let follower = try WorkerProcess(["follow", temporary.path])
        #expect(await follower.nextLine()?.hasPrefix("opened") == true)

        faults.force(status, on: .commit)
        let error = await #expect(throws: LedgerError.self) { try await promise.fulfill(1) }
        #expect(error?.code == (status == .system(.noSpace) ? .diskFull : .ioFailure))
        #expect(try await promise.record == before)
        // Afterwards it works, and the next event takes the position that was not used up: only the
        // follower's session came in between.
        #expect(try await promise.fulfill(2).isSuccess)
        #expect(try await promise.consume() == 2)
        let audit = try await closeAndAudit(ledger)
        #expect(audit.findings(acknowledged: ["R \(promise.id)", "K \(promise.id)"]).isEmpty)
        #expect(audit.position(of: .promiseResolved) == head.rawValue + 2)
        var sightings: [LedgerAudit.Sighting] = []
        while sightings.last?.kind != EventKind.promiseConsumed.rawValue,
          let line = await follower.nextLine()
        {
          if let sighting = LedgerAudit.Sighting(line) { sightings.append(sighting) }
        }
        #expect(audit.findings(acknowledged: [], sightings: sightings).isEmpty)
      }

      @Test func anotherSessionOfTheProcessSeesNothingOfACommitThatFailed() async throws {
        let ledger = try await open()
        let other = try await temporary.open(as: .appExtension)
        let promise = try await ledger.createPromise(of: Int.self)
        let head = try await other.catchUp()
        faults.force(.system(.inputOutput), on: .commit)
        await #expect(throws: LedgerError.self) { try await promise.fulfill(1) }
        #expect(try await other.catchUp() == head)
        #expect(try await other.record(of: promise.id)?.status == .pending)
        #expect(try await promise.fulfill(2).isSuccess)
        #expect(try await other.promise(id: promise.id, of: Int.self).outcome == .fulfilled(2))
        await other.close()
        _ = try await closeAndAudit(ledger)
      }

      @Test func bothSessionsOfTheProcessGoOnAfterAPanic() async throws {
        let ledger = try await open()
        let other = try await temporary.open(as: .appExtension)
        let promise = try await ledger.createPromise(of: Int.self)
        faults.force(.panic, on: .commit)
        await #expect(throws: LedgerError.self) { try await promise.fulfill(1) }
        #expect(try await promise.fulfill(2).isSuccess)
        #expect(try await other.promise(id: promise.id, of: Int.self).outcome == .fulfilled(2))
        await other.close()
        _ = try await closeAndAudit(ledger)
      }

      // MARK: Support

      private func open() async throws -> Ledger {
        var configuration = LedgerConfiguration()
        configuration.files.environment.faults = faults
        configuration.logger = .silent
        return try await temporary.open(configuration: configuration)
      }

      private func closeAndAudit(_ ledger: Ledger) async throws -> LedgerAudit {
        await ledger.close()
        try await expectWorks(temporary)
        let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
        #expect(audit.findings(acknowledged: []).isEmpty)
        return audit
      }
    }
  }
#endif
