import LedgerSystem
import LedgerTestSupport
import PromiseLedgerTesting

/// Cuts the power at many moments of a recording, and has the resulting disk contents checked.
package struct PowerLossRun: Sendable {
  /// The kind of disk.
  package enum Fault: Sendable {
    /// A disk that keeps synced data.
    case none
    /// A disk that lost a page after confirming its write.
    case lostWrite
  }

  package let recording: PowerRecording
  package let seed: UInt64
  package var fault = Fault.none
  /// How many failures are enough.
  package var failureLimit = 3
  /// Where the power is cut; everywhere if `nil`.
  package var window: [Int]?
  /// How many states are checked at once.
  package var laneCount = 2

  /// The ledgers, and the files that belong to each.
  private static let ledgers = [("main", ["main", "archives"]), ("imported", ["imported"])]

  package init(recording: PowerRecording, seed: UInt64, fault: Fault = .none) {
    self.recording = recording
    self.seed = seed
    self.fault = fault
  }

  /// Checks this many different states, or fewer if there are no more.
  package func check(stateCount: Int) async throws -> PowerLossReport {
    let progress = PowerLossProgress(limit: stateCount, failureLimit: failureLimit)
    let drawCount = stateCount * 20
    return try await withThrowingTaskGroup { group in
      for lane in 0..<laneCount {
        group.addTask {
          try await check(Array(stride(from: lane, to: drawCount, by: laneCount)), progress)
        }
      }
      var report = PowerLossReport(recording)
      for try await part in group { report.addStates(of: part) }
      return report
    }
  }

  /// Checks one state again.
  package func check(state: Int) async throws -> PowerLossReport {
    var report = PowerLossReport(recording)
    let progress = PowerLossProgress(limit: 1, failureLimit: 1)
    report.addStates(of: try await check([state], progress))
    return report
  }

  private func check(_ states: [Int], _ progress: PowerLossProgress) async throws -> PowerLossReport
  {
    let directory = try TemporaryDirectory(in: Scratch.path)
    defer { withExtendedLifetime(directory) {} }
    let place = directory.path + "/state"
    var auditor = PowerAuditor(recording, scratch: directory.path)
    var report = PowerLossReport()
    for state in states where !progress.isOver {
      guard let cut = self.cut(state) else { continue }
      var isNew = false
      for (ledger, names) in Self.ledgers {
        let acknowledged = recording.acknowledged[cut.index][ledger] ?? Acknowledgement()
        guard !acknowledged.isEmpty || cut.tree.has(names) || ledger == "main",
          progress.isNew(cut.tree.fingerprint(of: names), ledger, acknowledged)
        else { continue }
        if !isNew { try cut.tree.replace(place) }
        isNew = true
        let answer = try await auditor.answer(
          PowerAuditor.Question(
            place: place, ledger: ledger, acknowledged: acknowledged, mark: cut.marks[ledger],
            isLying: fault != .none))
        report.answers[answer.kind, default: 0] += 1
        guard !isRight(answer) else { continue }
        report.failures.append(
          PowerLossReport.Failure(
            state: state, cut: cut.index, ledger: ledger, answer: answer.text))
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

  // MARK: Choosing

  private struct Cut {
    let index: Int
    let phase: String
    let tree: DiskTree
    /// The acknowledged position that is noted in the words that processes share.
    let marks: [String: UInt64]
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
      return Cut(
        index: index, phase: name, tree: cut.tree(of: recording.disks[index]),
        marks: marks(at: index, &generator))
    case .lostWrite:
      guard let tree = recording.treeWithLostPage(at: index, &generator) else { return nil }
      return Cut(index: index, phase: name, tree: tree, marks: [:])
    }
  }

  /// What had been acknowledged at some moment before: the processes note that in memory that they share, of
  /// which any version may have reached the disk.
  private func marks(at index: Int, _ generator: inout SeededGenerator) -> [String: UInt64] {
    guard Bool.random(using: &generator) else { return [:] }
    let isNewest = Bool.random(using: &generator)
    let moment = isNewest ? index : Int.random(in: 0...index, using: &generator)
    return recording.acknowledged[moment].compactMapValues(\.head)
  }
}
