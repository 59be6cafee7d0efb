import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport
import PromiseLedgerTesting
import Synchronization

/// Cuts the power at many moments of a recording, and has the resulting disk contents checked.
struct PowerLossSuite: Sendable {
  /// A state that must not be.
  struct Failure: Sendable, CustomStringConvertible {
    let state: Int
    let cut: Int
    let ledger: String
    let answer: String

    var description: String { "state \(state), cut before operation \(cut), \(ledger): \(answer)" }
  }

  struct Report: Sendable {
    /// How many states were looked at, by phases; no two of them are equal.
    var stateCounts: [String: Int] = [:]
    /// How many ledgers gave which answer.
    var answers: [String: Int] = [:]
    var failures: [Failure] = []

    var stateCount: Int { stateCounts.values.reduce(0, +) }

    mutating func add(_ other: Report) {
      stateCounts.merge(other.stateCounts, uniquingKeysWith: +)
      answers.merge(other.answers, uniquingKeysWith: +)
      failures += other.failures
    }
  }

  /// The kind of disk.
  enum Fault: Sendable {
    /// A disk that keeps synced data.
    case none
    /// A disk that lost a page after confirming its write.
    case lostWrite
  }

  let recording: PowerRecording
  let seed: UInt64
  var fault = Fault.none
  /// How many failures are enough.
  var failureLimit = 3
  /// Where the power is cut; everywhere if `nil`.
  var window: [Int]?

  private static let laneCount = 2
  /// The ledgers, and the files that belong to each.
  private static let ledgers = [("main", ["main", "archives"]), ("imported", ["imported"])]

  /// Checks this many different states, or fewer if there are no more.
  func run(stateCount: Int) async throws -> Report {
    let progress = Progress(limit: stateCount, failureLimit: failureLimit)
    return try await withThrowingTaskGroup { group in
      for lane in 0..<Self.laneCount {
        group.addTask {
          try await run(
            Array(stride(from: lane, to: stateCount * 20, by: Self.laneCount)), progress)
        }
      }
      var report = Report()
      for try await part in group { report.add(part) }
      return report
    }
  }

  /// Checks one state again.
  func run(state: Int) async throws -> Report {
    try await run([state], Progress(limit: 1, failureLimit: 1))
  }

  private func run(_ states: [Int], _ progress: Progress) async throws -> Report {
    let directory = try TemporaryDirectory(in: Scratch.path)
    defer { withExtendedLifetime(directory) {} }
    let place = directory.path
    var auditor = PowerAuditor(recording, scratch: place)
    var report = Report()
    for state in states where !progress.isOver {
      guard let cut = self.cut(state) else { continue }
      var isNew = false
      for (ledger, names) in Self.ledgers {
        let acknowledged = recording.acknowledged[cut.index][ledger]
        guard acknowledged != nil || cut.tree.has(names) || ledger == "main",
          progress.isNew(cut.tree.fingerprint(of: names), ledger, acknowledged)
        else { continue }
        if !isNew { try Self.write(cut.tree, to: place + "/state") }
        isNew = true
        let answer = try await auditor.answer(
          place + "/state", ledger, acknowledged, isLying: fault != .none)
        report.answers[answer.kind, default: 0] += 1
        guard !isRight(answer) else { continue }
        report.failures.append(
          Failure(state: state, cut: cut.index, ledger: ledger, answer: answer.text))
        progress.failed()
      }
      if isNew {
        report.stateCounts[cut.phase, default: 0] += 1
        progress.looked()
      }
    }
    return report
  }

  private func isRight(_ answer: PowerAuditor.Answer) -> Bool {
    switch fault {
    case .none: answer.kind == "fine"
    case .lostWrite: ["fine", "refused", "noticed"].contains(answer.kind) || answer.isEndInLMDB
    }
  }

  private static func write(_ tree: DiskTree, to path: String) throws {
    try FileSystem.removeTree(path)
    try FileSystem.createDirectory(path)
    try tree.write(to: path)
  }

  // MARK: Choosing

  private struct Cut {
    let index: Int
    let phase: String
    let tree: DiskTree
  }

  /// The state of a number: equal for equal recordings and seeds.
  private func cut(_ state: Int) -> Cut? {
    var generator = SeededGenerator(seed: seed &+ UInt64(state) &* 0x9E37_79B9_7F4A_7C15)
    let phase = recording.phases[state % recording.phases.count]
    let index: Int
    if let window {
      index = window[Int.random(in: 0..<window.count, using: &generator)]
    } else {
      // After each operation of the phase.
      index = Int.random(in: phase.operations, using: &generator) + 1
    }
    let name = recording.phases.last { $0.operations.lowerBound < index }?.name ?? phase.name
    switch fault {
    case .none:
      var cut = PowerCut(seed: generator.next())
      return Cut(index: index, phase: name, tree: cut.tree(of: recording.disks[index]))
    case .lostWrite:
      guard let tree = recording.treeWithLostPage(at: index, &generator) else { return nil }
      return Cut(index: index, phase: name, tree: tree)
    }
  }
}

/// The state that the lanes of a suite share.
private final class Progress: Sendable {
  private struct Contents {
    var seen: Set<String> = []
    var stateCount = 0
    var failureCount = 0
  }

  private let limit: Int
  private let failureLimit: Int
  private let contents = Mutex(Contents())

  init(limit: Int, failureLimit: Int) {
    self.limit = limit
    self.failureLimit = failureLimit
  }

  var isOver: Bool {
    contents.withLock { $0.stateCount >= limit || $0.failureCount >= failureLimit }
  }

  func isNew(_ fingerprint: UInt64, _ ledger: String, _ acknowledged: UInt64?) -> Bool {
    let key = "\(ledger) \(acknowledged ?? 0) \(fingerprint)"
    return contents.withLock { $0.seen.insert(key).inserted }
  }

  func looked() { contents.withLock { $0.stateCount += 1 } }

  func failed() { contents.withLock { $0.failureCount += 1 } }
}
