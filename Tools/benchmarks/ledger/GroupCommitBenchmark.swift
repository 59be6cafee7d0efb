import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Tasks that each await their own durable promise.
enum GroupCommitBenchmark {
  static func run(_ report: inout Report) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let ledger = try await Ledger.open(
      at: directory.path + "/ledger", as: .app, configuration: .asked)
    _ = try await creations(ledger, tasks: 64, for: .milliseconds(300))
    var with64: [Double] = []
    var with512: [Double] = []
    var alone: [Double] = []
    var onExecutor: [Double] = []
    for _ in 0..<5 {
      let onWriter = try await creations(
        ledger, tasks: 1, for: .milliseconds(600), on: ledger.taskExecutor)
      let one = try await creations(ledger, tasks: 1, for: .milliseconds(600))
      alone.append(one)
      onExecutor.append(onWriter / one)
      with64.append(try await creations(ledger, tasks: 64, for: .milliseconds(600)) / one)
      with512.append(try await creations(ledger, tasks: 512, for: .milliseconds(600)) / one)
    }
    report.add(
      "one task, durable creations a second", alone.median, nil,
      "\(rounded(alone.min() ?? 0)) to \(rounded(alone.max() ?? 0))")
    report.add("one task on the ledger's executor, times that", onExecutor.median, nil)
    report.add("64 tasks, times one task", with64.median, .atLeast(12))
    report.add("512 tasks, times one task", with512.median, .atLeast(40))
    await ledger.close()
  }

  /// Creations a second by `tasks` tasks.
  static func creations(
    _ ledger: Ledger, tasks: Int, for duration: Duration,
    on executor: (any TaskExecutor)? = nil
  ) async throws -> Double {
    let start = MonotonicClock.now
    let end = start + duration
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<tasks {
        group.addTask(executorPreference: executor) {
          var count = 0
          while MonotonicClock.now < end {
            _ = try await ledger.createPromise(of: Void.self)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((MonotonicClock.now - start).inMicroseconds / 1e6)
  }
}
