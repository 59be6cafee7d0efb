import LedgerHistories
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
  /// Shrinks that are killed, stopped, beside writers, and on disks that are full or fail.
  @Suite(.timeLimit(.minutes(10)))
  struct ShrinkCrashTests {
    private let temporary: TemporaryLedger

    init() throws { temporary = try TemporaryLedger() }

    private static let steps = ["copied", "named", "gatePassed", "sealed", "switched"]

    /// A session that has the ledger open goes on, and the next shrink succeeds and removes what was left.
    @Test(arguments: steps)
    func aShrinkThatIsKilledBetweenTwoStepsLosesNothing(step: String) async throws {
      let app = try await sample()
      let survivor = try await app.createPromise(key: PromiseKey("survivor"), of: Int.self)
      #expect(try await shrink(1, [step, "kill"]).ending == .signalled(SIGKILL))
      try await survivor.fulfill(7)
      let fresh = try await temporary.open(as: .operator)
      #expect(try await fresh.record(of: survivor.id)?.status == .resolved)
      #expect(try generations().count == 1)
      #expect(try await survivor.consume() == 7)
      let run = try await shrink(1)
      #expect(run.ending == .exited(0) && run.lines.count == 1)
      _ = try await app.createPromise(of: Int.self)
      #expect(try await fresh.catchUp() == app.catchUp())
      for session in [fresh, app] { await session.close() }
      try expectWhole()
    }

    @Test(
      .enabled(if: Strace.isUsable, "needs strace and the right to trace"),
      arguments: ["fdatasync", "fsync", "renameat", "unlinkat"])
    func aShrinkThatIsKilledAnywhereLosesNothing(call: String) async throws {
      let app = try await sample()
      var acknowledged: [String] = []
      for number in 1...100 {
        let run = try await shrink(1, tracing: "\(call):signal=KILL:when=\(number)")
        let promise = try await app.createPromise(of: Int.self)
        acknowledged.append("C \(promise.id)")
        let inspector = try BlockingInspector(at: temporary.path)
        _ = try inspector.verify { Issue.record("\(call) \(number): \($0)") }
        #expect(try await inspector.head == app.catchUp(), "\(call) \(number)")
        let audit = try LedgerAudit(inspector)
        #expect(audit.findings(acknowledged: acknowledged) == [], "\(call) \(number)")
        inspector.close()
        guard run.ending == .exited(0) else { continue }
        // What the killed ones left is gone, too.
        #expect(try generations().count == 1)
        await app.close()
        return
      }
      Issue.record("more than 100 calls of \(call)")
    }

    @Test(
      .enabled(if: Strace.isUsable, "needs strace and the right to trace"),
      arguments: ["pwrite64:error=ENOSPC", "fdatasync:error=EIO", "fsync:error=EIO"])
    func aShrinkOnADiskThatFailsLosesNothing(fault: String) async throws {
      let app = try await sample()
      for number in [12, 24, 40, 60] {
        _ = try await shrink(1, tracing: "\(fault):when=\(number)+")
        _ = try await app.createPromise(of: Int.self)
        let fresh = try await temporary.open(as: .operator)
        #expect(try await fresh.catchUp() == app.catchUp(), "\(fault) \(number)")
        await fresh.close()
        #expect(try generations().count == 1)
        try expectWhole()
      }
      await app.close()
    }

    /// While it is stopped, nobody can write, and then nobody has taken its place.
    @Test(arguments: ["gatePassed", "sealed", "switched"])
    func aStoppedShrinkKeepsItsPlace(step: String) async throws {
      var configuration = LedgerConfiguration()
      configuration.writerStallTimeout = .milliseconds(50)
      let app = try await sample(configuration)
      let worker = try WorkerProcess(["shrink", temporary.path, "1", step, "stop"])
      #expect(await worker.nextLine() == "stopping")
      let error = await #expect(throws: LedgerError.self) {
        try await app.createPromise(of: Int.self)
      }
      #expect(error?.code == .writerStalled)
      let head = try await app.catchUp()
      worker.send(signal: SIGCONT)
      #expect(await worker.nextLine()?.hasPrefix("shrunk") == true)
      #expect(await worker.end() == .exited(0))
      _ = try await app.createPromise(of: Int.self)
      #expect(try await app.catchUp() > head)
      await app.close()
      try expectWhole()
    }

    /// Before it locks out the writers, it loses to everything that others do meanwhile.
    @Test(arguments: ["copied", "named"])
    func aShrinkThatWasStoppedWhileOthersWroteHasTheirEvents(step: String) async throws {
      let app = try await sample()
      let worker = try WorkerProcess(["shrink", temporary.path, "1", step, "stop"])
      #expect(await worker.nextLine() == "stopping")
      var keys: [PromiseKey] = []
      for number in 0..<30 {
        keys.append(try PromiseKey("meanwhile/\(number)"))
        let promise = try await app.createPromise(key: keys[number], of: [UInt8].self)
        try await promise.fulfill([UInt8](repeating: 1, count: number * 1_000))
      }
      worker.send(signal: SIGCONT)
      #expect(await worker.nextLine()?.hasPrefix("shrunk") == true)
      #expect(await worker.end() == .exited(0))
      await app.close()
      let replayed = try BlockingInspector(at: temporary.path).replay()
      for key in keys {
        #expect(try replayed.record(of: key.promiseID)?.status == .resolved)
      }
      try expectWhole()
    }

    @Test(arguments: ["copied", "sealed"])
    func aDiskThatFillsUpLosesNothing(step: String) async throws {
      let app = try await sample()
      let run = try await shrink(2, [step, "fill"])
      // After the seal, nothing more is written that needs room.
      #expect(run.lines.first == "failed diskFull" || run.lines.first?.hasPrefix("shrunk") == true)
      #expect(run.lines.last?.hasPrefix("shrunk") == true)
      _ = try await app.createPromise(of: Int.self)
      await app.close()
      try expectWhole()
    }

    /// Several processes shrink and write at once; some are killed.
    @Test func nothingAcknowledgedIsLostWhileSomeShrinkAndSomeAreKilled() async throws {
      await (try sample()).close()
      let writers = try (0..<2).map { number in
        try WorkerProcess(["live", temporary.path, "writer-\(number)", "\(number)"])
      }
      let shrinkers = try (0..<2).map { _ in try WorkerProcess(["shrink", temporary.path, "5"]) }
      var lines: [String] = []
      for (round, step) in Self.steps.enumerated() {
        for writer in writers {
          for _ in 0..<20 { lines.append(try #require(await writer.nextLine())) }
        }
        let ending = try await shrink(1, [step, "kill"]).ending
        #expect(ending == .signalled(SIGKILL), "round \(round)")
      }
      for shrinker in shrinkers {
        let shrunk = await shrinker.rest()
        #expect(shrunk.filter { $0.hasPrefix("shrunk") }.count == 5, "\(shrunk)")
        #expect(await shrinker.end() == .exited(0))
      }
      for writer in writers { writer.closeInput() }
      for writer in writers {
        lines += await writer.rest()
        #expect(await writer.end() == .exited(0))
      }
      #expect(lines.filter { $0.hasPrefix("problem") } == [])
      let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
      #expect(audit.findings(acknowledged: lines) == [])
      #expect(lines.compactMap(LedgerAudit.Acknowledgement.init).count >= 200)
      try expectWhole()
    }

    // MARK: Support

    /// A session on a ledger with events, large values and a snapshot.
    private func sample(
      _ configuration: LedgerConfiguration = LedgerConfiguration()
    ) async throws -> Ledger {
      let ledger = try await temporary.open(configuration: configuration)
      for number in 0..<20 {
        let promise = try await ledger.createPromise(of: String.self)
        try await promise.fulfill(String(repeating: "x", count: number * 2_000))
        _ = try await promise.consume()
      }
      try await ledger.compact(.foldOnly)
      return ledger
    }

    private func shrink(
      _ count: Int, _ arguments: [String] = [], tracing fault: String? = nil
    ) async throws -> (lines: [String], ending: ChildProcess.Ending?) {
      let wrapper = fault.map { fault in
        [
          Strace.path, "-f", "-q", "-o", "/dev/null", "-e", "trace=\(fault.prefix { $0 != ":" })",
          "-e", "inject=\(fault)",
        ]
      }
      let worker = try WorkerProcess(
        ["shrink", temporary.path, "\(count)"] + arguments, wrapper: wrapper ?? [])
      return (await worker.rest(), await worker.end())
    }

    private func generations() throws -> [String] {
      try FileSystem.list(temporary.path).filter { $0.contains("generation-") }
    }

    private func expectWhole() throws {
      let inspector = try BlockingInspector(at: temporary.path)
      defer { inspector.close() }
      _ = try inspector.verify { Issue.record("\($0)") }
    }
  }
}
