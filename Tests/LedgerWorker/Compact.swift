import Foundation
import LedgerLMDB
import PromiseLedger
import PromiseLedgerTesting
import Synchronization

/// Compacts a ledger, and dies at a point on the way; says how many points there are if it does not.
///
/// The points are named `before` and `after`, for the commits, and `between`, for the steps; each is
/// counted from 1.
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
    // Counts what LMDB is asked, to prove that no commit is without a point.
    let faults = FaultInjector()
    var configuration = LedgerConfiguration()
    configuration.environment = Configuration(faults: faults)
    configuration.hooks.sliceEventCount = 25
    configuration.hooks.beforeCommit = { points.reached("before") }
    configuration.hooks.committed = { points.reached("after") }
    let ledger = try await Ledger.open(at: path, as: .operator, configuration: configuration)
    let commitCount = faults.count(of: .commit)
    points.arm()
    if foldsInWrongOrder {
      try await ledger.engine.withStore { (store) throws(LedgerError) in
        try WrongOrder.fold(store)
      }
    }
    try await ledger.compact(.everything(archivedIn: archives)) { _ in points.reached("between") }
    for (name, count) in points.counts { Output.line("\(name) \(count)") }
    Output.line("commits \(faults.count(of: .commit) - commitCount)")
    await ledger.close()
  }
}

/// Counts the points that are reached, and kills this process at one of them.
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
    if name == deadly, count == number { kill(getpid(), SIGKILL) }
  }
}
