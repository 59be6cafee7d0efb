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
  /// Processes that run work and are killed or stopped meanwhile.
  @Suite(.timeLimit(.minutes(60)))
  struct WorkKillTests {
    private let temporary: TemporaryLedger

    init() throws {
      temporary = try TemporaryLedger()
    }

    @Test func workIsDoneOnceHoweverOftenItsProcessesAreKilled() async throws {
      let seed = UInt64.random(in: 0...UInt64(UInt32.max))
      print("work kill loop with seed \(seed)")
      let count = TestAmount.of(400)
      let start = try WorkerProcess(["toil", temporary.path, "start", "\(count)"])
      #expect(await start.rest() == ["done"])
      // Open all the time, or the next process would begin with a fresh lock file.
      let inspector = try BlockingInspector(at: temporary.path)
      let kills = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<4 {
          group.addTask { try await toil(seed: seed &+ UInt64(number)) }
        }
        return try await group.reduce(0, +)
      }
      let audit = try WorkAudit(inspector)
      print("\(kills) kills, \(audit.attemptCount) attempts, \(audit.deathCount) deaths")
      #expect(audit.findings(count: count).isEmpty, "seed \(seed)")
      // Otherwise the test shows nothing.
      #expect(kills >= 20 && audit.deathCount > 0, "seed \(seed)")
      _ = try inspector.verify { finding in Issue.record("\(finding), seed \(seed)") }
      try expectOneReplay(temporary.path)
    }

    /// Runs work in one process after the other; each is killed after some events, and some are stopped before.
    ///
    /// - Returns: How many processes were killed.
    private func toil(seed: UInt64) async throws -> Int {
      var generator = SeededGenerator(seed: seed)
      var kills = 0
      // The last one is left to finish.
      for _ in 0..<8 {
        let worker = try WorkerProcess(["toil", temporary.path, "run"])
        let lineCount = Int.random(in: 1...30, using: &generator)
        let isStopped = Int.random(in: 0..<4, using: &generator) == 0
        for _ in 0..<lineCount { _ = await worker.nextLine() }
        if isStopped {
          worker.send(signal: SIGSTOP)
          // The others go on meanwhile; a stopped process gives no sign to wait for.
          try await Task.sleep(for: .milliseconds(lineCount))
          worker.send(signal: SIGCONT)
        }
        worker.send(signal: SIGKILL)
        _ = await worker.rest()
        if await worker.end() == .signalled(SIGKILL) { kills += 1 }
      }
      let last = try WorkerProcess(["toil", temporary.path, "run"])
      #expect(await last.rest().last == "done")
      return kills
    }
  }
}

/// What became of the work of a ledger, according to its log.
private struct WorkAudit {
  private let events: [LedgerEvent]
  private let work: [PromiseID: Int]

  init(_ inspector: BlockingInspector) throws {
    let events = try inspector.allEvents()
    self.events = events
    var work: [PromiseID: Int] = [:]
    for event in events where event.kind == .promiseCreated {
      guard let key = try event.decode(as: PromiseCreated.self)?.key, key.hasPrefix("chore/"),
        let number = Int(key.dropFirst(6))
      else { continue }
      work[PromiseID(entityID: event.subject)] = number
    }
    self.work = work
  }

  var attemptCount: Int { events.count { $0.kind == .workStarted } }

  var deathCount: Int {
    events.count { event in
      (try? event.decode(as: WorkReleased.self))?.reason == .died
    }
  }

  func findings(count: Int) -> [String] {
    var findings: [String] = []
    if work.count != count { findings.append("\(work.count) of \(count) chores were started") }
    var made: [String: Int] = [:]
    var settled: [PromiseID: Int] = [:]
    for (index, event) in events.enumerated() {
      if event.position.rawValue != UInt64(index + 1) { return ["a gap at \(event.position)"] }
      switch event.kind {
      case .promiseCreated:
        if let label = try? event.decode(as: PromiseCreated.self)?.label {
          made[label, default: 0] += 1
        }
      case .promiseResolved: settled[PromiseID(entityID: event.subject), default: 0] += 1
      default: break
      }
    }
    for (id, number) in work.sorted(by: { $0.value < $1.value }) {
      let settlements = settled[id] ?? 0
      if settlements != 1 { findings.append("chore \(number) was settled \(settlements) times") }
      let count = made["made \(number)"] ?? 0
      if count != 1 { findings.append("the effect of chore \(number) happened \(count) times") }
    }
    return Array(findings.prefix(20))
  }
}
