import LedgerHistories
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

extension CrashTests {
  /// Compaction while other processes write and read.
  @Suite(.timeLimit(.minutes(10)))
  struct CompactionTrafficTests {
    private static let compactionCount = TestAmount.of(15)

    @Test(.timeLimit(.minutes(5)))
    func fourProcessesWriteAndReadThroughCompactions() async throws {
      let temporary = try TemporaryLedger()
      let archives = FileSystem.parent(of: temporary.path) + "/archives"
      try FileSystem.createDirectory(archives)
      await (try temporary.open()).close()
      let writers = try (0..<4).map { number in
        // One of them compacts by itself, too.
        try WorkerProcess(
          ["live", temporary.path, "writer-\(number)", "\(number)"]
            + (number == 0 ? [archives] : []))
      }
      let compactor = try WorkerProcess(
        ["compact-again", temporary.path, archives, "\(Self.compactionCount)"])
      let compactions = await compactor.rest()
      #expect(await compactor.end() == .exited(0), "\(compactions.suffix(3))")
      var lines: [String] = []
      for writer in writers { writer.closeInput() }
      for writer in writers {
        let said = await writer.rest()
        #expect(await writer.end() == .exited(0), "\(said.suffix(3))")
        #expect(said.last == "closed")
        lines += said
      }
      let problems = (lines + compactions).filter { $0.hasPrefix("problem") }
      #expect(problems.isEmpty)
      let counts = compactions.map { $0.split(separator: " ").compactMap { Int($0) } }
      #expect(counts.count == Self.compactionCount)
      let deleted = counts.reduce(0) { $0 + $1[2] }
      print(
        "\(lines.count) answers, \(counts.count) compactions of",
        "\(counts.reduce(0) { $0 + $1[0] }) events, \(deleted) deleted")
      #expect(deleted > 20 * Self.compactionCount && counts.contains { $0[1] > 0 })
      try await audit(temporary, lines)
      try Self.auditEvents(temporary, archives, lines)
    }

    /// Everything matches the acknowledgements; consumed promises may be gone.
    private func audit(_ temporary: TemporaryLedger, _ lines: [String]) async throws {
      var statuses: [PromiseID: PromiseRecord.Status] = [:]
      for what in lines.compactMap(LedgerAudit.Acknowledgement.init) {
        let id = PromiseID(entityID: what.subject)
        switch what.kind {
        case .promiseCreated: statuses[id] = statuses[id] ?? .pending
        case .promiseResolved: if statuses[id] != .consumed { statuses[id] = .resolved }
        default: statuses[id] = .consumed
        }
      }
      let ledger = try await temporary.open()
      for (id, status) in statuses {
        let record = try await ledger.record(of: id)
        // Those that a handler resolved were acknowledged as its call.
        let isFine =
          switch (status, record?.status) {
          case (.consumed, nil), (.pending, .resolved?): true
          case (let status, let stored): status == stored
          }
        #expect(isFine, "\(id) is \(String(describing: record?.status)), not \(status)")
      }
      await ledger.close()
    }

    /// Every acknowledged event is in the archives or in the ledger, once and in order.
    private static func auditEvents(
      _ temporary: TemporaryLedger, _ archives: String, _ lines: [String]
    ) throws {
      let whole = try WholeHistory(of: temporary, archives: archives)
      let audit = try LedgerAudit(BlockingInspector(at: whole.path))
      #expect(audit.findings(acknowledged: lines).isEmpty)
    }
  }
}
