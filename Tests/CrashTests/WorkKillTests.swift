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
      let toils = try await withThrowingTaskGroup(of: Toil.self) { group in
        for number in 0..<4 {
          group.addTask { try await toil(seed: seed &+ UInt64(number)) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let kills = toils.reduce(0) { $0 + $1.kills }
      let bodies = toils.flatMap(\.bodies)
      let audit = try WorkAudit(inspector)
      print(
        "\(kills) kills, \(audit.attemptCount) attempts, \(audit.deathCount) deaths, \(bodies.count) bodies, \(audit.waitCount) waits, \(audit.takenOver.count) taken over"
      )
      #expect(audit.findings(count: count, bodies).isEmpty, "seed \(seed)")
      // Otherwise the test shows nothing.
      #expect(kills >= 20 && audit.deathCount > 0 && audit.waitCount > 0, "seed \(seed)")
      _ = try inspector.verify { finding in Issue.record("\(finding), seed \(seed)") }
      try expectOneReplay(temporary.path)
    }

    /// Runs work in one process after the other; each is killed after some events, and some are stopped before.
    ///
    private func toil(seed: UInt64) async throws -> Toil {
      var generator = SeededGenerator(seed: seed)
      var toil = Toil()
      // The last one is left to finish.
      for _ in 0..<8 {
        let worker = try WorkerProcess(["toil", temporary.path, "run"])
        let lineCount = Int.random(in: 1...100, using: &generator)
        let isStopped = Int.random(in: 0..<4, using: &generator) == 0
        for _ in 0..<lineCount { toil.note(await worker.nextLine()) }
        if isStopped {
          worker.send(signal: SIGSTOP)
          // The others go on meanwhile, and take over what takes too long; a stopped process gives no sign to wait
          // for.
          try await Task.sleep(for: .milliseconds(4 * lineCount))
          worker.send(signal: SIGCONT)
          // It may still try to record what others have taken over.
          for _ in 0..<lineCount { toil.note(await worker.nextLine()) }
        }
        worker.send(signal: SIGKILL)
        for line in await worker.rest() { toil.note(line) }
        if await worker.end() == .signalled(SIGKILL) { toil.kills += 1 }
      }
      let last = try WorkerProcess(["toil", temporary.path, "run"])
      let lines = await last.rest()
      #expect(lines.last == "done")
      for line in lines { toil.note(line) }
      return toil
    }
  }
}

/// What one process after the other did.
private struct Toil: Sendable {
  /// The number of processes that were killed.
  var kills = 0
  private(set) var bodies: [Body] = []

  /// A run of a step's body.
  struct Body: Sendable {
    let number: Int
    let step: String
    let start: Timestamp
  }

  mutating func note(_ line: String?) {
    let words = line?.split(separator: " ") ?? []
    guard words.count == 4, words[0] == "body", let number = Int(words[1]),
      let time = Int64(words[3])
    else { return }
    let start = Timestamp(nanosecondsSinceEpoch: time)
    bodies.append(Body(number: number, step: String(words[2]), start: start))
  }
}

/// What became of the work of a ledger, according to its log.
private struct WorkAudit {
  private let events: [LedgerEvent]
  private let work: [PromiseID: Int]
  /// The number of every chore, also of those that others started.
  private let numbers: [PromiseID: Int]

  init(_ inspector: BlockingInspector) throws {
    let events = try inspector.allEvents()
    self.events = events
    var work: [PromiseID: Int] = [:]
    var numbers: [PromiseID: Int] = [:]
    for event in events where event.kind == .promiseCreated {
      guard let created = try event.decode(as: PromiseCreated.self), created.work != nil else {
        continue
      }
      let id = PromiseID(entityID: event.subject)
      if let key = created.key, key.hasPrefix("chore/") { work[id] = Int(key.dropFirst(6)) }
      let argument = created.work?.arguments?.arguments.first { $0.name == "number" }
      numbers[id] = argument.flatMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
    }
    self.work = work
    self.numbers = numbers
  }

  var attemptCount: Int { events.count { $0.kind == .workStarted } }

  var deathCount: Int {
    events.count { event in
      (try? event.decode(as: WorkReleased.self))?.reason == .died
    }
  }

  /// The work of which an attempt was started while another session ran one.
  var takenOver: Set<PromiseID> {
    var runners: [EntityID: SessionID] = [:]
    var takenOver: Set<PromiseID> = []
    for event in events {
      if event.kind == .workStarted {
        if let runner = runners[event.subject], runner != event.session {
          takenOver.insert(PromiseID(entityID: event.subject))
        }
        runners[event.subject] = event.session
      } else if event.kind == .workReleased || event.kind == .promiseResolved {
        runners[event.subject] = nil
      }
    }
    return takenOver
  }

  var waitCount: Int {
    events.count { event in
      (try? event.decode(as: WorkReleased.self))?.reason == .waiting
    }
  }

  func findings(count: Int, _ bodies: [Toil.Body]) -> [String] {
    var findings: [String] = []
    if work.count != count { findings.append("\(work.count) of \(count) chores were started") }
    var made: [String: Int] = [:]
    var settled: [PromiseID: Int] = [:]
    var keptAt: [String: Timestamp] = [:]
    var runners: [EntityID: SessionID] = [:]
    for (index, event) in events.enumerated() {
      if event.position.rawValue != UInt64(index + 1) { return ["a gap at \(event.position)"] }
      switch event.kind {
      case .promiseCreated:
        if let label = try? event.decode(as: PromiseCreated.self)?.label {
          made[label, default: 0] += 1
        }
      case .workStarted: runners[event.subject] = event.session
      case .workStepFinished:
        if runners[event.subject] != event.session {
          findings.append("another session ended a step at \(event.position)")
        }
        guard let number = numbers[PromiseID(entityID: event.subject)],
          let finished = try? event.decode(as: WorkStepFinished.self)
        else { return ["a step of no chore at \(event.position)"] }
        let name = "\(number) \(finished.step)"
        if keptAt[name] != nil { findings.append("step \(name) was kept twice") }
        keptAt[name] = event.time
      case .promiseResolved:
        if (try? event.decode(as: PromiseResolved.self))?.attempt != nil,
          runners[event.subject] != event.session
        {
          findings.append("another session ended an attempt at \(event.position)")
        }
        settled[PromiseID(entityID: event.subject), default: 0] += 1
      default: break
      }
    }
    // The process that lost an attempt learns of it only at the end of the body that it runs.
    let left = Set(takenOver.compactMap { numbers[$0] })
    for body in bodies where !left.contains(body.number) {
      let name = "\(body.number) \(body.step)"
      if let time = keptAt[name], body.start > time {
        findings.append("the body of step \(name) ran after its result was kept")
      }
    }
    for (id, number) in numbers.sorted(by: { $0.value < $1.value }) {
      let settlements = settled[id] ?? 0
      if settlements != 1 { findings.append("chore \(number) was settled \(settlements) times") }
      for name in ["", " first", " second", " third"] {
        let count = made["made \(number)\(name)"] ?? 0
        guard count != 1 else { continue }
        findings.append("the effect \(number)\(name) happened \(count) times")
      }
    }
    return Array(findings.prefix(20))
  }
}
