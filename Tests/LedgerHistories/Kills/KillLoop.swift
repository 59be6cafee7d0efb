import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Two writing processes and a reading one on one ledger, each killed again and again.
package struct KillLoop: Sendable {
  package let path: String
  package let seed: UInt64
  /// How often each of the three is killed.
  let killsPerProcess: Int
  /// More arguments for the writers.
  let writerFlags: [String]

  package init(path: String, seed: UInt64, killsPerProcess: Int, writerFlags: [String] = []) {
    (self.path, self.seed) = (path, seed)
    (self.killsPerProcess, self.writerFlags) = (killsPerProcess, writerFlags)
  }

  /// The output of the processes before they were killed.
  package struct Report: Sendable {
    package fileprivate(set) var kills = 0
    package fileprivate(set) var acknowledged: [String] = []
    package fileprivate(set) var sightings: [LedgerAudit.Sighting] = []
    /// Lines that should not have been printed, and ends that were not ours.
    package fileprivate(set) var problems: [String] = []

    mutating func add(_ other: Report) {
      kills += other.kills
      acknowledged += other.acknowledged
      sightings += other.sightings
      problems += other.problems
    }
  }

  /// Kills until the number of kills is reached. The caller keeps the ledger open. Otherwise the
  /// only process to open it after a kill would begin with a fresh lock file, and there would be
  /// nothing to recover.
  package func run() async throws -> Report {
    let supply = Supply()
    return try await withThrowingTaskGroup { group in
      group.addTask {
        try await kill(repeatedly: "follow", salt: 3, supply) { _ in ["follow", path] }
      }
      var report = try await runWriters()
      supply.end()
      for try await part in group { report.add(part) }
      return report
    }
  }

  private func runWriters() async throws -> Report {
    try await withThrowingTaskGroup { group in
      for writer in ["first", "second"] {
        group.addTask {
          try await kill(repeatedly: "churn", salt: writer == "first" ? 1 : 2) { number in
            ["churn", path, writer, "\(number)"] + writerFlags
          }
        }
      }
      var report = Report()
      for try await part in group { report.add(part) }
      return report
    }
  }

  private func kill(
    repeatedly name: String, salt: UInt64, _ supply: Supply? = nil,
    _ arguments: @Sendable (Int) -> [String]
  ) async throws -> Report {
    var generator = SeededGenerator(seed: seed &+ salt)
    var report = Report()
    for number in 0..<killsPerProcess where !Task.isCancelled {
      let worker = try WorkerProcess(arguments(number))
      // One in eight dies while it opens; the others after some lines and, so that every moment of a
      // commit has its turn, up to 3 ms.
      let diesEarly = Int.random(in: 0..<8, using: &generator) == 0
      let canWait = supply?.begin(worker) ?? true
      let lineCount = diesEarly || !canWait ? 0 : Int.random(in: 1...30, using: &generator)
      let moment = Int.random(in: 0..<3_000, using: &generator)
      var lines: [String] = []
      while lines.count < lineCount, let line = await worker.nextLine() { lines.append(line) }
      try await Task.sleep(for: .microseconds(lineCount == 0 ? moment * 10 : moment))
      worker.send(signal: SIGKILL)
      lines += await worker.rest()
      let ending = await worker.end()
      if ending == .signalled(SIGKILL) {
        report.kills += 1
      } else {
        report.problems.append("\(name) ended by itself: \(String(describing: ending))")
      }
      report.take(lines)
    }
    return report
  }
}

/// The input of a reading process: once the writers are done, no more lines come.
private final class Supply: Sendable {
  private struct Contents {
    var reader: WorkerProcess?
    var hasEnded = false
  }

  private let contents = Mutex(Contents())

  /// - Returns: Whether the reader may wait for lines.
  func begin(_ reader: WorkerProcess) -> Bool {
    contents.withLock { contents in
      contents.reader = reader
      return !contents.hasEnded
    }
  }

  /// Kills the reader, which waits in vain.
  func end() {
    let reader = contents.withLock { contents in
      contents.hasEnded = true
      return contents.reader
    }
    reader?.send(signal: SIGKILL)
  }
}

extension KillLoop.Report {
  fileprivate mutating func take(_ lines: [String]) {
    for line in lines {
      if LedgerAudit.Acknowledgement(line) != nil {
        acknowledged.append(line)
      } else if let sighting = LedgerAudit.Sighting(line) {
        sightings.append(sighting)
      } else if !line.hasPrefix("opened ") {
        problems.append(line)
      }
    }
  }
}
