import LedgerHistories
import LedgerSystem
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
  @Suite(.timeLimit(.minutes(1))) struct TwoProcessTests {
    private let temporary: TemporaryLedger

    init() throws { temporary = try TemporaryLedger() }

    @Test func appConsumesPromisesThatAnotherProcessResolved() async throws {
      let app = try await serve("app")
      let helper = try await serve("appExtension")
      #expect(try await app.ask("create k")?.hasPrefix("created") == true)
      // The app waits before there is anything to consume.
      try app.send("consume k")
      #expect(try await helper.ask("resolve k done") == "resolved")
      #expect(await app.nextLine() == "consumed done")
      #expect(try await helper.ask("consume k")?.contains("roleMayNotConsume") == true)
      try await expectLife(of: "k")
    }

    @Test func frozenAppConsumesPromisesResolvedMeanwhile() async throws {
      let app = try await serve("app")
      let helper = try await serve("appExtension")
      _ = try await app.ask("create k")
      #expect(try await app.ask("freeze") == "frozen true")
      #expect(try await helper.ask("resolve k done") == "resolved")
      #expect(try await app.ask("unfreeze") == "unfrozen")
      #expect(try await app.ask("consume k") == "consumed done")
      try await expectLife(of: "k")
    }

    @Test func stoppedAppCatchesUpWhenItContinues() async throws {
      let app = try await serve("app")
      let helper = try await serve("appExtension")
      _ = try await app.ask("create k")
      try app.send("consume k")
      app.send(signal: SIGSTOP)
      #expect(try await helper.ask("resolve k done") == "resolved")
      app.send(signal: SIGCONT)
      #expect(await app.nextLine() == "consumed done")
      try await expectLife(of: "k")
    }

    @Test func writerStoppedInTheGateDoesNotBlockOthersForGood() async throws {
      let app = try await serve("app")
      _ = try await app.ask("create k")
      #expect(try await app.ask("stop-in-gate") == "armed")
      try app.send("resolve k done")
      #expect(await app.nextLine() == "stopping")

      var configuration = LedgerConfiguration()
      configuration.writerStallTimeout = .milliseconds(200)
      // Opening writes an event, so it waits too, and names the process that it waits for.
      await #expect { _ = try await temporary.open(configuration: configuration) } throws: {
        names(app.processID, $0)
      }
      app.send(signal: SIGCONT)
      #expect(await app.nextLine() == "resolved")

      let other = try await temporary.open(as: .appExtension, configuration: configuration)
      #expect(try await app.ask("stop-in-gate") == "armed")
      try app.send("create l")
      #expect(await app.nextLine() == "stopping")
      await #expect { _ = try await other.createPromise(of: Int.self) } throws: {
        names(app.processID, $0)
      }
      // Reading continues, and freezing is not delayed. The limit is 500 ms; this leaves room for a
      // machine that is busy with other tests.
      #expect(try await other.record(forKey: PromiseKey("k"))?.status == .resolved)
      let start = MonotonicClock.now
      #expect(try await other.freeze() == false)
      let duration = MonotonicClock.now - start
      print("freezing beside a stopped writer took \(duration)")
      #expect(duration < .seconds(2))

      app.send(signal: SIGCONT)
      #expect(await app.nextLine()?.hasPrefix("created") == true)
      try await other.unfreeze()
      #expect(try await other.record(forKey: PromiseKey("l"))?.status == .pending)
      await other.close()
      #expect(try await app.ask("consume k") == "consumed done")
      try await expectLife(of: "k")
    }

    @Test func killedSessionIsRecordedAsDiedByAnotherThatLives() async throws {
      var configuration = LedgerConfiguration()
      configuration.pollInterval = .milliseconds(500)
      let watcher = try await temporary.open(as: .appExtension, configuration: configuration)
      let app = try await serve("app")
      let start = try await watcher.catchUp()
      app.send(signal: SIGKILL)
      _ = await app.end()
      let death = try await watcher.events(after: start).first { $0.kind == .sessionClosed }
      #expect(try death?.decode(as: SessionClosed.self)?.reason == .died)
      #expect(death?.session == watcher.session)
      await watcher.close()
    }

    @Test func waitersWakeWithinThePollIntervalWhenEveryRingIsLost() async throws {
      let app = try await temporary.open()
      let promise = try await app.createPromise(key: PromiseKey("k"), of: String.self)
      let helper = try await serve("appExtension")
      let wiper = try WordWiper(wakeFile: temporary.path + "/wake")
      async let value = promise.consume()
      #expect(try await helper.ask("resolve k done") == "resolved")
      #expect(try await value == "done")
      wiper.stop()
      await app.close()
    }

    // MARK: Support

    private func serve(_ role: String) async throws -> WorkerProcess {
      let worker = try WorkerProcess(["serve", temporary.path, role])
      #expect(await worker.nextLine()?.hasPrefix("opened") == true)
      return worker
    }

    private func copy(of ledger: Ledger) async throws -> [LedgerEvent] {
      let head = try await ledger.catchUp()
      var events: [LedgerEvent] = []
      for try await event in ledger.events() {
        events.append(event)
        if event.position >= head { break }
      }
      return events
    }

    /// The promise was created, resolved and consumed, each once.
    private func expectLife(
      of key: String, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
      let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
      let id = try PromiseKey(key).promiseID
      #expect(
        audit.findings(acknowledged: ["C \(id)", "R \(id)", "K \(id)"]).isEmpty,
        sourceLocation: sourceLocation)
    }
  }
}

private func names(_ process: Int32, _ error: any Error) -> Bool {
  guard let error = error as? LedgerError else { return false }
  return error.code == .writerStalled && error.message.contains("process \(process),")
}
