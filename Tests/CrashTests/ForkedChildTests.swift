#if os(Linux)
  import LedgerHistories
  import LedgerSystem
  import LedgerWorkerSupport
  import PromiseLedger
  import PromiseLedgerTesting
  import Testing

  extension CrashTests {
    /// A process that was forked from one that has the ledger open.
    @Suite(.timeLimit(.minutes(1))) struct ForkedChildTests {
      private let calls = [
        "create", "resolve", "record", "consume", "stale", "catchUp", "freeze", "unfreeze",
        "inspect",
      ]

      @Test func everyCallOfAForkedChildIsRefusedAndItsParentGoesOn() async throws {
        let temporary = try TemporaryLedger()
        let worker = try WorkerProcess(["fork", temporary.path])
        let lines = await worker.rest()
        #expect(await worker.end() == .exited(0))
        #expect(
          lines.contains(
            "message This process was forked from process \(worker.processID), which opened the ledger. Run a program (exec) that opens the ledger anew; tasks do not run in a forked child."
          ))
        #expect(
          lines.filter { $0.hasPrefix("child ") }
            == calls.map { "child \($0) forkedProcess" } + ["child close done", "child ended 0"])
        // The child, become another program, and then the parent.
        #expect(
          lines.drop { $0 != "child close done" }.map { $0.prefix(1) }
            == ["c", "o", "C", "R", "K", "d", "c", "R", "K", "c"])
        let audit = try LedgerAudit(BlockingInspector(at: temporary.path))
        #expect(audit.findings(acknowledged: lines).isEmpty)
        #expect(audit.count(of: .sessionOpened) == 2)
        #expect(audit.count(of: .sessionClosed) == 2)
        try await expectWorks(temporary)
      }

      /// Locks that other threads held when the process was forked stay locked in the child for
      /// ever. A call is refused before it takes any lock.
      @Test func aChildOfABusyProcessIsRefusedToo() async throws {
        let temporary = try TemporaryLedger()
        let rounds = 300
        let worker = try WorkerProcess(["fork-busily", temporary.path, "\(rounds)"])
        let lines = await worker.rest()
        #expect(await worker.end() == .exited(0))
        let refusals = calls.map { "child \($0) forkedProcess" } + ["child close done"]
        var expected: [String] = []
        for round in 1...rounds { expected += refusals + ["round \(round) ended 0"] }
        #expect(lines == expected)
      }
    }
  }
#endif
