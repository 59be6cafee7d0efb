import LedgerPromises
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
  /// Durable promises as ones in memory, with another process at the other end.
  @Suite(.timeLimit(.minutes(1))) struct InMemoryPromiseTests {
    private let temporary: TemporaryLedger

    init() throws { temporary = try TemporaryLedger() }

    @Test func chainContinuesWithAnOutcomeOfAnotherProcess() async throws {
      let (app, durable, helper) = try await open()
      let shouted = durable.promise.map { $0.uppercased() }
      #expect(try await helper.ask("resolve k done") == "resolved")
      #expect(try await shouted.value == "DONE")
      #expect(try await durable.record?.status == .consumed)
      await app.close()
    }

    @Test func chainGoesOnAfterAFreezeInWhichTheOtherProcessDied() async throws {
      let (app, durable, helper) = try await open()
      let shouted = durable.promise.map { $0.uppercased() }
      #expect(try await app.freeze())
      #expect(try await helper.ask("resolve k done") == "resolved")
      helper.send(signal: SIGKILL)
      _ = await helper.end()
      #expect(shouted.isPending)
      try await app.unfreeze()
      #expect(try await shouted.value == "DONE")
      await app.close()
    }

    @Test func cancellationReachesTheOtherProcessIfItMay() async throws {
      let (app, durable, helper) = try await open()
      // Stops waiting, while the other process continues to wait.
      let waiting = durable.promise
      waiting.done { _ in }
      try helper.send("outcome k")
      waiting.cancel()
      #expect(try await durable.record?.status == .pending)
      durable.promise(cancelling: .ledger).cancel("enough")
      #expect(await helper.nextLine()?.contains("cancelled: enough") == true)
      await app.close()
    }

    @Test func promiseInMemoryResolvesForAnotherProcess() async throws {
      let (app, durable, helper) = try await open()
      let (source, resolver) = Promise.make(of: String.self)
      try helper.send("outcome k")
      let answer = durable.resolve(from: source)
      resolver.fulfill("done")
      #expect(await helper.nextLine() == "outcome done")
      #expect(try await answer.value.isSuccess)
      await app.close()
    }

    private func open() async throws -> (Ledger, DurablePromise<String>, WorkerProcess) {
      let app = try await temporary.open()
      let promise = try await app.createPromise(key: PromiseKey("k"), of: String.self)
      let worker = try WorkerProcess(["serve", temporary.path, "appExtension"])
      #expect(await worker.nextLine()?.hasPrefix("opened") == true)
      return (app, promise, worker)
    }
  }
}
