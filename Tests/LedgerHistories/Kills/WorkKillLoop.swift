import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Processes that run work, of which each is killed or stopped meanwhile.
package struct WorkKillLoop: Sendable {
  private static let laneCount = 4
  /// The binary logarithm of the largest number of lines after which a process is killed.
  private static let longestLife = 11

  private let path: String
  private let seed: UInt64
  private let workCount: Int

  /// - Parameter path: A ledger that no process has opened yet.
  package init(path: String, seed: UInt64, workCount: Int) {
    (self.path, self.seed, self.workCount) = (path, seed, workCount)
  }

  /// What happened, and what is wrong.
  package struct Report: Sendable {
    package let kills: Int
    package let bodyCount: Int
    package let audit: WorkAudit
    package let findings: [String]

    /// All figures, on one line.
    package var line: String {
      "\(kills) kills, \(audit.attemptCount) attempts, \(audit.deathCount) deaths, \(bodyCount) bodies, \(audit.waitCount) waits, \(audit.takenOver.count) taken over"
    }
  }

  /// Starts work, and kills the processes that run it until all of it is done.
  package func run() async throws -> Report {
    let start = try WorkerProcess(["toil", path, "start", "\(workCount)"])
    var problems = await start.rest().filter { $0 != "done" }
    // Open all the time, or the next process would begin with a fresh lock file.
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    let toils = try await withThrowingTaskGroup(of: Toil.self) { group in
      for number in 0..<Self.laneCount {
        group.addTask { try await toil(seed: seed &+ UInt64(number)) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let (bodies, answers) = (toils.flatMap(\.bodies), toils.flatMap(\.answers))
    let audit = try WorkAudit(inspector)
    if !toils.allSatisfy(\.isDone) { problems.append("a process ended before the work did") }
    problems += audit.findings(count: workCount, bodies, answers)
    _ = try inspector.verify { problems.append("\($0)") }
    return Report(
      kills: toils.reduce(0) { $0 + $1.kills }, bodyCount: bodies.count, audit: audit,
      findings: Array(problems.prefix(20)))
  }

  /// Runs work in one process after the other until all of it has ended. Each is killed after some lines that it
  /// prints, and some are stopped before.
  private func toil(seed: UInt64) async throws -> Toil {
    var generator = SeededGenerator(seed: seed)
    var toil = Toil()
    while !toil.isDone {
      let worker = try WorkerProcess(["toil", path, "run"])
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
}

/// What one process after the other did.
struct Toil: Sendable {
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
