import LedgerModel
import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedgerPostgreSQL
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Lets four processes append events to one ledger while faults strike, and compares what they were told with the log.
package struct AppendLoad: Sendable {
  package static let writerCount = 4

  private let name: String
  private let seed: UInt64
  private let eventCount: Int
  private let faultCount: Int
  private let stops: Duration?
  /// The largest number of events in a commit.
  private let maximumBatch: Int

  /// - Parameters:
  ///   - name: The name of the load, in its figures.
  ///   - eventCount: The number of events that must be acknowledged.
  ///   - faultCount: How often each fault strikes, at least.
  ///   - maximumBatch: The largest number of events in a commit.
  ///   - stops: The time for which a process stands still, once; `nil` if none does.
  package init(
    _ name: String, seed: UInt64, eventCount: Int, faultCount: Int, maximumBatch: Int,
    stops: Duration? = nil
  ) {
    (self.name, self.seed) = (name, seed)
    (self.eventCount, self.faultCount) = (eventCount, faultCount)
    (self.maximumBatch, self.stops) = (maximumBatch, stops)
  }

  /// What a run has seen.
  package struct Report: Sendable {
    package fileprivate(set) var name = ""
    package fileprivate(set) var eventCount = 0
    package fileprivate(set) var refusedCount = 0
    package fileprivate(set) var unknownCount = 0
    /// How often writers asked the server about a commit whose connection was lost.
    package fileprivate(set) var judgementCount = 0
    package fileprivate(set) var faults: [String: Int] = [:]
    /// The longest time of each outage in which nothing was acknowledged to any writer.
    fileprivate var silences: [String: [Duration]] = [:]
    package fileprivate(set) var problems: [String] = []
    fileprivate var duration = Duration.zero

    /// All figures, on one line.
    package var line: String {
      let seconds = max(duration / .seconds(1), 0.001)
      let faults = faults.sorted { $0.key < $1.key }.map { name, count in
        "\(count) \(name)" + (silences[name].map { " (silent for \(Self.summary(of: $0)))" } ?? "")
      }
      return
        "postgresql \(name): \(eventCount) events acknowledged to \(writerCount) writers, \(Int(Double(eventCount) / seconds)) events/s, \(faults.joined(separator: ", ")), \(judgementCount) lost outcomes judged, \(refusedCount) refused, \(unknownCount) unknown, \(problems.count) problems"
    }

    /// The shortest, the median and the longest.
    private static func summary(of silences: [Duration]) -> String {
      let tenths = silences.sorted().map { Int(($0 / .milliseconds(100)).rounded()) }
      let texts = [tenths.first, tenths[tenths.count / 2], tenths.last].map { tenths in
        tenths.map { "\($0 / 10).\($0 % 10)" } ?? ""
      }
      return "\(texts.joined(separator: "/")) s"
    }
  }

  package func run(on stage: some LoadStage) async throws -> Report {
    let crew = WriterCrew(stage, maximumBatch: maximumBatch)
    let start = ContinuousClock.now
    var report = Report()
    try await withThrowingTaskGroup { group in
      for writer in 0..<Self.writerCount {
        group.addTask { await crew.keepWriting(writer) }
      }
      do {
        try await strike(stage, crew, &report)
      } catch {
        crew.stop()
        throw error
      }
      crew.stop()
      try await group.waitForAll()
    }
    report.duration = .now - start
    report.name = name
    let audit = crew.audit
    let (log, judgementCount) = try await onThread { [stage] in
      stage.settle()
      return (try stage.database.log(of: stage.place), try stage.database.epoch(of: stage.place))
    }
    report.judgementCount = judgementCount
    report.eventCount = audit.acknowledgedEventCount
    (report.refusedCount, report.unknownCount) = (audit.refusedCount, audit.unknownCount)
    report.problems = crew.problems + audit.problems(in: log)
    return report
  }

  /// Lets faults strike in random order until there were enough of each, and enough events.
  private func strike(
    _ stage: some LoadStage, _ crew: WriterCrew, _ report: inout Report
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let kill = LoadFault(name: "killed clients") { crew.kill(writer: .random(using: &$0)) }
    let faults = stage.faults + [kill]
    var due = faults.flatMap { Array(repeating: $0, count: faultCount) }
    due.shuffle(using: &generator)
    if let stops {
      try await crew.standStill(for: stops)
      report.faults["stopped clients"] = 1
    }
    // Each fault has its share of the events, so that writers come to rest between two of them.
    let share = max(1, eventCount / due.count)
    for (number, fault) in due.enumerated() {
      guard await crew.hasAcknowledged(share * number), crew.problems.isEmpty else { break }
      let seed = generator.next()
      _ = crew.takeLongestSilence()
      try await onThread {
        var generator = SeededGenerator(seed: seed)
        try fault.strike(&generator)
      }
      report.faults[fault.name, default: 0] += 1
      guard fault.isOutage,
        await crew.hasAcknowledged(crew.audit.acknowledgedEventCount + 1)
      else { continue }
      report.silences[fault.name, default: []].append(crew.takeLongestSilence())
    }
    _ = await crew.hasAcknowledged(eventCount)
  }
}

extension Int {
  /// The number of a random writer.
  fileprivate static func random(using generator: inout SeededGenerator) -> Int {
    .random(in: 0..<AppendLoad.writerCount, using: &generator)
  }
}

/// The writing processes. One that was killed is followed by another, with a session of its own.
private final class WriterCrew: Sendable {
  private let stage: any LoadStage
  private let maximumBatch: Int
  private let contents = Mutex(Contents())

  private struct Contents {
    var processes: [Int: WorkerProcess] = [:]
    var sessionCount: UInt64 = 0
    var audit = CommitAudit()
    var silences = Silences()
    var problems: [String] = []
    var isStopped = false
    var isCancelled = false
    var killed: Set<Int32> = []
    /// Those who wait for so many acknowledged events.
    var waiters: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Removes and returns the waiters that need not wait longer.
    mutating func takeDue() -> [CheckedContinuation<Void, Never>] {
      let reached = isCancelled || !problems.isEmpty ? Int.max : audit.acknowledgedEventCount
      defer { waiters.removeAll { $0.count <= reached } }
      return waiters.filter { $0.count <= reached }.map(\.continuation)
    }
  }

  init(_ stage: some LoadStage, maximumBatch: Int) {
    self.stage = stage
    self.maximumBatch = maximumBatch
  }

  var audit: CommitAudit { contents.withLock { $0.audit } }
  var problems: [String] { contents.withLock { $0.problems } }
  func takeLongestSilence() -> Duration { contents.withLock { $0.silences.takeLongest() } }
  private var isStopped: Bool { contents.withLock { $0.isStopped } }

  func keepWriting(_ writer: Int) async {
    while !isStopped {
      do {
        try await write(as: writer)
      } catch {
        change { $0.problems.append("writer \(writer): \(error)") }
        return
      }
    }
  }

  private func write(as writer: Int) async throws {
    let number = contents.withLock { contents in
      contents.sessionCount += 1
      return contents.sessionCount
    }
    let session = SessionID(entityID: EntityID(high: 0x901, low: number))
    let process = try WorkerProcess(
      "append", on: stage.connection(of: writer), stage.place, ["\(number)", "\(maximumBatch)"],
      clock: WrongClock(ofHost: writer))
    let isLate = contents.withLock { contents in
      contents.processes[writer] = process
      return contents.isStopped
    }
    if isLate { process.closeInput() }
    while let line = await process.nextLine() {
      change { contents in
        let count = contents.audit.acknowledgedEventCount
        if !contents.audit.note(line, of: session) {
          contents.problems.append("writer \(writer) printed: \(line)")
        }
        if contents.audit.acknowledgedEventCount > count { contents.silences.end() }
      }
    }
    let ending = await process.end()
    let isExpected = contents.withLock { contents in
      ending == .exited(0) && contents.isStopped
        || ending == .signalled(SIGKILL) && contents.killed.contains(process.processID)
    }
    guard isExpected else { throw UnexpectedEnd(ending: "\(String(describing: ending))") }
  }

  private struct UnexpectedEnd: Error {
    let ending: String
  }

  func kill(writer: Int) {
    contents.withLock { contents in
      guard let process = contents.processes[writer] else { return }
      contents.killed.insert(process.processID)
      process.send(signal: SIGKILL)
    }
  }

  /// Stops a process while it writes, and continues it after a time.
  func standStill(for time: Duration) async throws {
    _ = await hasAcknowledged(1)
    let process = contents.withLock { $0.processes[0] }
    process?.send(signal: SIGSTOP)
    let count = audit.acknowledgedEventCount
    try await Task.sleep(for: time)
    // The others went on.
    _ = await hasAcknowledged(count + 100)
    process?.send(signal: SIGCONT)
  }

  func stop() {
    let processes = contents.withLock { contents in
      contents.isStopped = true
      return contents.processes.values.map(\.self)
    }
    for process in processes { process.closeInput() }
  }

  /// Waits until so many events are acknowledged.
  ///
  /// - Returns: Whether they are; otherwise, there is a problem, or the task was cancelled.
  func hasAcknowledged(_ count: Int) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        change { $0.waiters.append((count, continuation)) }
      }
    } onCancel: {
      change { $0.isCancelled = true }
    }
    return audit.acknowledgedEventCount >= count
  }

  /// Changes the contents, and wakes those who waited for the change.
  private func change(_ body: (inout Contents) -> Void) {
    let due = contents.withLock { contents in
      body(&contents)
      return contents.takeDue()
    }
    for continuation in due { continuation.resume() }
  }
}
