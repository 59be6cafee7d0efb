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
  /// Processes that are killed inside the code of handlers, between their effects, and around the
  /// finish.
  @Suite(.timeLimit(.minutes(10)))
  struct HandlerKillTests {
    /// Where a process dies; the last is some time after the code, up to after everything.
    private static let points = [
      "opened", "code-begun", "resolved", "made", "code-done", "gate-1", "commit-1", "gate-2",
      "commit-2", "gate-3", "commit-3", "tally-begun", "tally-done", "called", "delay", "delay",
      "delay",
    ]

    private let temporary: TemporaryLedger
    private let seed: UInt64

    init() throws {
      temporary = try TemporaryLedger()
      seed = UInt64.random(in: 0...UInt64(UInt32.max))
    }

    /// Runs a worker to its end.
    ///
    /// - Returns: Its output, and whether it was killed.
    private func run(
      _ step: String, _ number: Int, point: String = "none", delay: Int = 0,
      flags: [String] = []
    ) async throws -> (lines: [String], isKilled: Bool) {
      let worker = try WorkerProcess(
        ["handle", temporary.path, step, "\(number)", point, "\(delay)"] + flags)
      let lines = await worker.rest()
      return (lines, await worker.end() == .signalled(SIGKILL))
    }

    /// Calls each handler in a process that dies at a point.
    private func killCalls(_ numbers: Range<Int>, flags: [String] = []) async throws -> Int {
      var generator = SeededGenerator(seed: seed)
      var kills = 0
      for number in numbers {
        let point = Self.points[number % Self.points.count]
        let delay = Int.random(in: 0..<3_000, using: &generator)
        let (lines, isKilled) = try await run(
          "call", number, point: point, delay: delay, flags: flags)
        // Only one that dies some time later may be too late.
        #expect(isKilled || (point == "delay" && lines == ["done"]), "\(point): \(lines)")
        if isKilled { kills += 1 }
      }
      return kills
    }

    /// The calls that the ledger offers.
    private func offered() async throws -> Set<CallID> {
      let (lines, _) = try await run("list", 0)
      #expect(lines.last == "done")
      return Set(lines.dropLast().compactMap { CallID(String($0.dropFirst(2))) })
    }

    @Test(.timeLimit(.minutes(5)))
    func effectsHappenOnceHoweverOftenItsProcessIsKilled() async throws {
      print("handler kill loop with seed \(seed)")
      let count = TestAmount.of(115)
      #expect(try await run("make", count).lines == ["done"])
      // Open all the time, or the next process would begin with a fresh lock file.
      let inspector = try BlockingInspector(at: temporary.path)

      var kills = try await killCalls(0..<count)
      // The audit comes second: a commit whose process was killed at its very end may show only when
      // the next writer came.
      var offered = try await offered()
      var audit = try HandlerAudit(inspector)
      #expect(try audit.findings(count: count).isEmpty, "seed \(seed)")
      let finishedFirst = audit.finishedWorkCount
      #expect(offered == audit.unfinished, "seed \(seed)")

      // Those that run them again are killed, too.
      for point in Self.points.dropFirst() {
        if try await run("retry", 0, point: point, delay: 500).isKilled { kills += 1 }
        offered = try await self.offered()
        audit = try HandlerAudit(inspector)
        #expect(try audit.findings(count: count).isEmpty, "\(point), seed \(seed)")
        #expect(offered == audit.unfinished, "\(point), seed \(seed)")
      }
      #expect(try await run("retry", 0).lines == ["done"])
      audit = try HandlerAudit(inspector)
      #expect(try audit.findings(count: count).isEmpty, "seed \(seed)")
      #expect(audit.unfinished.isEmpty)
      // All but those whose processes died before the call.
      let calledCount = count - (count + Self.points.count - 1) / Self.points.count
      #expect(audit.finishedWorkCount == calledCount, "seed \(seed)")
      print("\(kills) kills, \(finishedFirst) finished before, \(audit.finishedWorkCount) after")
      #expect(kills >= count * 4 / 5 && finishedFirst > 0 && finishedFirst < calledCount)
      try expectOneReplay(temporary.path)
    }

    /// The answer comes once more, to a process that opens then, or to one that is already open.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func anAnswerThatIsDeliveredAgainHasTheCallRunAgain(isOpen: Bool) async throws {
      #expect(try await run("make", 3).lines == ["done"])
      let inspector = try BlockingInspector(at: temporary.path)
      for number in 0..<3 {
        let waiting =
          isOpen
          ? try WorkerProcess(["handle", temporary.path, "await", "\(number)", "none", "0"]) : nil
        if let waiting { #expect(await waiting.nextLine() == "opened") }
        let point = ["code-begun", "made", "code-done"][number]
        #expect(try await run("call", number, point: point).isKilled, "\(point)")
        if let waiting {
          #expect(try await waiting.ask("now") == "done", "\(point)")
          _ = await waiting.end()
        } else {
          #expect(try await run("call", number).lines == ["done"], "\(point)")
        }
        let audit = try HandlerAudit(inspector)
        #expect(try audit.findings(count: 3).isEmpty, "\(point)")
        #expect(audit.unfinished.isEmpty && audit.finishedWorkCount == number + 1, "\(point)")
      }
    }

    #if DEBUG
      @Test(.timeLimit(.minutes(2)))
      func effectsBeforeTheFinishAreNoticed() async throws {
        let count = 2 * Self.points.count
        #expect(try await run("make", count).lines == ["done"])
        let inspector = try BlockingInspector(at: temporary.path)
        _ = try await killCalls(0..<count, flags: ["commits-effects-before-finish"])
        let early = try HandlerAudit(inspector).findings(count: count)
        #expect(early.contains { $0.contains("resolved 1 times with 0 finishes") })
        #expect(try await run("retry", 0).lines == ["done"])
        let late = try HandlerAudit(inspector).findings(count: count)
        #expect(late.contains { $0.contains("made 2 times with 1 finishes") })
        print("effects before the finish: \(early.count) findings, \(late.count) later")
      }
    #endif

    // MARK: Promises with their handlers

    /// Makes promises with their handlers, in processes that are killed around the commit.
    ///
    /// - Returns: The points at which one was left without the other, and how many pairs there are.
    private func halves(flags: [String] = []) async throws -> (points: [String], pairCount: Int) {
      let points = ["gate-1", "commit-1", "gate-2", "commit-2", "called", "delay", "delay"]
      var generator = SeededGenerator(seed: seed)
      var (found, pairCount) = ([String](), 0)
      for (number, point) in points.enumerated() {
        let delay = Int.random(in: 0..<3_000, using: &generator)
        _ = try await run("pair", number, point: point, delay: delay, flags: flags)
        // The next session shows the fate of the killed process's last commit.
        #expect(try await run("list", 0).lines.last == "done")
        let (promise, handler) = (
          try PromiseKey("pair/\(number)").promiseID, try HandlerKey("pair/\(number)").handlerID
        )
        let state = try BlockingInspector(at: temporary.path).replay()
        let hasPromise = try state.record(of: promise) != nil
        let hasHandler = try state.record(of: handler) != nil
        if hasPromise != hasHandler { found.append(point) }
        if hasPromise, hasHandler { pairCount += 1 }
      }
      return (found, pairCount)
    }

    @Test(.timeLimit(.minutes(2)))
    func aPromiseIsThereWithItsHandlerOrNotAtAll() async throws {
      let (points, pairCount) = try await halves()
      #expect(points.isEmpty, "seed \(seed)")
      #expect((1..<7).contains(pairCount), "seed \(seed)")
    }

    @Test(.timeLimit(.minutes(2)))
    func aPromiseWithoutItsHandlerIsNoticed() async throws {
      let (points, _) = try await halves(flags: ["makes-pairs-in-two-commits"])
      #expect(points.contains("gate-2") && points.contains("commit-2"), "\(points)")
    }

    @Test(.timeLimit(.minutes(1)))
    func aHandlerThatOneProcessWithdrewCannotBeCalledByAnother() async throws {
      #expect(try await run("make", 2).lines == ["done"])
      #expect(try await run("invalidate", 0).lines == ["done"])
      let refused = try await run("call", 0).lines
      #expect(refused.count == 1 && refused[0].contains("handlerInvalidated"))
      #expect(try await run("call", 1).lines == ["done"])
      #expect(try await run("invalidate", 1).lines.first?.contains("handlerFinished") == true)
    }
  }
}
