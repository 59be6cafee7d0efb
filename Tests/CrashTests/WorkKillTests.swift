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
      let (bodies, answers) = (toils.flatMap(\.bodies), toils.flatMap(\.answers))
      let audit = try WorkAudit(inspector)
      print(
        "\(kills) kills, \(audit.attemptCount) attempts, \(audit.deathCount) deaths, \(bodies.count) bodies, \(audit.waitCount) waits, \(audit.takenOver.count) taken over"
      )
      #expect(audit.findings(count: count, bodies, answers).isEmpty, "seed \(seed)")
      // Otherwise the test shows nothing.
      let doneCount = toils.count(where: \.isDone)
      #expect(doneCount == toils.count, "a process ended before the work did, seed \(seed)")
      #expect(kills >= TestAmount.of(10), "seed \(seed)")
      #expect(audit.deathCount > 0 && audit.waitCount > 0, "seed \(seed)")
      var findings: [VerificationFinding] = []
      _ = try inspector.verify { findings.append($0) }
      #expect(findings.prefix(20).isEmpty, "seed \(seed)")
      try expectOneReplay(temporary.path)
    }

    /// Runs work in one process after the other until all of it has ended. Each is killed after some lines that it
    /// prints, and some are stopped before.
    private func toil(seed: UInt64) async throws -> Toil {
      var generator = SeededGenerator(seed: seed)
      var toil = Toil()
      while !toil.isDone {
        let worker = try WorkerProcess(["toil", temporary.path, "run"])
        // Most die young, some get far.
        let longest = 1 << Int.random(in: 0...Self.longestLife, using: &generator)
        await toil.note(Int.random(in: 1...longest, using: &generator), of: worker)
        if !toil.isDone, Bool.random(using: &generator) {
          worker.send(signal: SIGSTOP)
          // The others take over what takes more than 200 ms, and should be in the midst of it when it goes on; a
          // stopped process gives no sign to wait for.
          try await Task.sleep(for: .milliseconds(Int.random(in: 150...300, using: &generator)))
          let time = Timestamp.now
          worker.send(signal: SIGCONT)
          // It may still try to record what others have taken over. Its first lines were printed before.
          await toil.note(of: worker, until: time)
          await toil.note(Int.random(in: 1...100, using: &generator), of: worker)
        }
        // The process that saw the end of all work ends by itself.
        if !toil.isDone { worker.send(signal: SIGKILL) }
        for line in await worker.rest() { toil.note(line) }
        guard await worker.end() == .signalled(SIGKILL) else { return toil }
        toil.kills += 1
      }
      return toil
    }

    /// The binary logarithm of the largest number of lines after which a process is killed.
    private static let longestLife = 11
  }
}

/// What one process after the other did.
private struct Toil: Sendable {
  /// The number of processes that were killed.
  var kills = 0
  /// Whether a process found that all work has ended.
  private(set) var isDone = false
  /// The starts of bodies of steps.
  private(set) var bodies: [Moment] = []
  /// The moments at which steps returned.
  private(set) var answers: [Moment] = []

  /// When something happened to a step.
  struct Moment: Sendable {
    let number: Int
    let step: String
    let time: Timestamp

    var name: String { "\(number) \(step)" }
  }

  /// Notes the next lines of a process, fewer if it ends before.
  mutating func note(_ count: Int, of worker: WorkerProcess) async {
    for _ in 0..<count {
      guard let line = await worker.nextLine() else { return }
      note(line)
    }
  }

  /// Notes the next lines of a process, until one tells of something after a time.
  mutating func note(of worker: WorkerProcess, until time: Timestamp) async {
    while let line = await worker.nextLine() {
      if let moment = note(line), moment.time > time { return }
    }
  }

  @discardableResult mutating func note(_ line: String) -> Moment? {
    if line == "done" { isDone = true }
    let words = line.split(separator: " ")
    guard words.count == 4, let number = Int(words[1]), let time = Int64(words[3]) else {
      return nil
    }
    let moment = Moment(
      number: number, step: String(words[2]), time: Timestamp(nanosecondsSinceEpoch: time))
    if words[0] == "body" { bodies.append(moment) } else { answers.append(moment) }
    return moment
  }
}

/// What became of the work of a ledger, according to its log.
private struct WorkAudit {
  private let events: [LedgerEvent]
  private let work: [PromiseID: Int]
  /// The number of every chore, also of those that others started.
  private let numbers: [PromiseID: Int]
  private let lanes: [EntityID: WorkLane]

  init(_ inspector: BlockingInspector) throws {
    let events = try inspector.allEvents()
    self.events = events
    var work: [PromiseID: Int] = [:]
    var numbers: [PromiseID: Int] = [:]
    var lanes: [EntityID: WorkLane] = [:]
    for event in events where event.kind == .promiseCreated {
      guard let created = try event.decode(as: PromiseCreated.self), created.work != nil else {
        continue
      }
      let id = PromiseID(entityID: event.subject)
      lanes[event.subject] = created.work?.options.lane
      if let key = created.key, key.hasPrefix("chore/") { work[id] = Int(key.dropFirst(6)) }
      let argument = created.work?.arguments?.arguments.first { $0.name == "number" }
      numbers[id] = argument.flatMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
    }
    self.work = work
    self.numbers = numbers
    self.lanes = lanes
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

  /// The moments at which more work of a lane ran than it allows.
  private var crowdedLanes: [String] {
    var findings: [String] = []
    var running: [String: Set<EntityID>] = [:]
    for event in events {
      guard let lane = lanes[event.subject] else { continue }
      switch event.kind {
      case .workStarted:
        running[lane.name, default: []].insert(event.subject)
        guard let count = running[lane.name]?.count, count > lane.width else { continue }
        findings.append("\(count) run in \(lane.name) of width \(lane.width) at \(event.position)")
      case .workReleased, .promiseResolved: running[lane.name]?.remove(event.subject)
      default: break
      }
    }
    return findings
  }

  func findings(
    count: Int, _ bodies: [Toil.Moment], _ answers: [Toil.Moment]
  ) -> [String] {
    var findings = crowdedLanes
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
      if let time = keptAt[body.name], body.time > time {
        findings.append("the body of step \(body.name) ran after its result was kept")
      }
    }
    // If the process is killed before the commit, a later attempt keeps the step.
    for answer in answers where keptAt[answer.name].map({ answer.time < $0 }) ?? true {
      findings.append("step \(answer.name) returned before its result was kept")
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
