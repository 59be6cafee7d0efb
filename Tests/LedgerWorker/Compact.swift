import Foundation
import LedgerLMDB
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// Compacts a ledger, and dies at a point on the way, or prints the number of points if it does
/// not.
///
/// The points are named `before` and `after`, for the commits, and `between`, for the steps; each
/// is counted from 1. At `stop` it stops between two steps instead, as a debugger or the system
/// would, and at `full` the disk is full after a commit, until the compaction has failed; 0 is
/// before the first.
struct Compact {
  private let path: String
  private let archives: String
  private let points: Points
  private let foldsInWrongOrder: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    archives = try arguments.next("archives")
    points = Points(
      deadly: try arguments.next("point"), number: try arguments.number("number"))
    foldsInWrongOrder = arguments.has("deletes-before-folding")
  }

  func run() async throws {
    let points = points
    // Counts the LMDB calls, to prove that every commit has its points.
    let faults = FaultInjector()
    var configuration = LedgerConfiguration()
    configuration.files.environment = Configuration(faults: faults)
    configuration.hooks.sliceEventCount = 25
    configuration.files.hooks.beforeCommit = { points.reached("before") }
    configuration.files.hooks.committed = { points.reached("after") }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    let commitCount = faults.count(of: .commit)
    points.arm()
    if foldsInWrongOrder {
      try await ledger.engine.withStore { store in
        try WrongOrder.fold(store)
      }
    }
    FileSizeLimit.prepare()
    if points.isFullAtOnce { Points.fillDisk() }
    do {
      try await compact(ledger)
      Output.line("compacted")
    } catch let error as LedgerError {
      Output.line("failed \(error.code)")
      try FileSizeLimit.set(nil)
      try await compact(ledger)
    }
    // The events that the full disk held back are written when the ledger is closed.
    try FileSizeLimit.set(nil)
    for (name, count) in points.counts { Output.line("\(name) \(count)") }
    Output.line("commits \(faults.count(of: .commit) - commitCount)")
    await ledger.close()
  }

  private func compact(_ ledger: Ledger) async throws {
    try await ledger.compact(.everything(archivedIn: archives)) { _ in points.reached("between") }
  }
}

/// Counts the points that are reached, and ends this process, or takes another action, at one of
/// them.
private final class Points: Sendable {
  private let deadly: String
  private let number: Int
  private let state = Mutex<[String: Int]?>(nil)

  init(deadly: String, number: Int) {
    self.deadly = deadly
    self.number = number
  }

  /// Counts from now on.
  func arm() { state.withLock { $0 = [:] } }

  var counts: [(name: String, count: Int)] {
    state.withLock { ($0 ?? [:]).map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
  }

  func reached(_ name: String) {
    let count = state.withLock { counts in
      counts?[name, default: 0] += 1
      return counts?[name]
    }
    guard count == number else { return }
    switch (deadly, name) {
    case ("full", "after"): Self.fillDisk()
    case ("stop", "between"):
      Output.line("stopping")
      // The signal goes to this thread. Another one could pass the gate before the process stops.
      pthread_kill(pthread_self(), SIGSTOP)
    case (name, _): kill(getpid(), SIGKILL)
    default: break
    }
  }

  var isFullAtOnce: Bool { deadly == "full" && number == 0 }

  /// Less than any archive, and less than the place where LMDB writes, except for its first pages.
  static func fillDisk() {
    do {
      try FileSizeLimit.set(1_000)
    } catch {
      Output.fail(error)
    }
  }
}
