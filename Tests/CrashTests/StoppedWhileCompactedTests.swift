import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CrashTests {
  /// A process that was stopped while it lived, and behind which everything was folded and deleted.
  @Suite(.timeLimit(.minutes(1))) struct StoppedWhileCompactedTests {
    private static let rounds = 3
    private let temporary: TemporaryLedger
    private let archives: String

    init() throws {
      temporary = try TemporaryLedger()
      archives = FileSystem.parent(of: temporary.path) + "/archives"
      try FileSystem.createDirectory(archives)
    }

    @Test func itsWaiterWakesAndItAnswersAsOneThatBegins() async throws {
      let app = try await serve("app")
      for key in ["waited", "removed", "late", "pending"] {
        _ = try await app.ask("create \(key)")
      }
      #expect(try await app.ask("resolve removed gone") == "resolved")
      #expect(try await app.ask("consume removed") == "consumed gone")
      #expect(try await app.ask("consume-later waited") == "waiting")
      app.send(signal: SIGSTOP)
      let head = try await compactAgainAndAgain()
      app.send(signal: SIGCONT)
      #expect(await app.nextLine() == "consumed done")
      #expect(try BlockingInspector(at: temporary.path).statistics().deletedThrough >= head)

      let fresh = try await serve("app")
      for key in ["waited", "removed", "late", "pending", "new-0", "new-2", "never"] {
        let answer = try await fresh.ask("record \(key)")
        #expect(try await app.ask("record \(key)") == answer, "\(key)")
      }
      #expect(try await app.ask("record removed") == "record none")
      #expect(try await app.ask("record late") == "record resolved")
      #expect(try await app.ask("create removed")?.contains("recordRemoved") == true)
      let state = try await fresh.ask("state")
      #expect(try await app.ask("state") == state)
    }

    /// Resolves the promises that the stopped process waits for, and deletes all events that it did
    /// not read.
    ///
    /// - Returns: The last event of the last round.
    private func compactAgainAndAgain() async throws -> Position {
      let other = try await temporary.open(as: .appExtension)
      var head = Position.start
      for round in 0..<Self.rounds {
        let key = try PromiseKey(["waited", "late", "new-0"][round])
        let promise = try other.promise(id: key.promiseID, of: String.self)
        #expect(try await promise.fulfill("done").isSuccess, "round \(round)")
        _ = try await other.createPromise(key: PromiseKey("new-\(round)"), of: String.self)
        head = try await other.catchUp()
        try await other.compact(.everything(archivedIn: archives))
      }
      await other.close()
      return head
    }

    private func serve(_ role: String) async throws -> WorkerProcess {
      let worker = try WorkerProcess(["serve", temporary.path, role])
      #expect(await worker.nextLine()?.hasPrefix("opened") == true)
      return worker
    }
  }
}
