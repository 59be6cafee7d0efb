import LedgerModel
import Synchronization

/// Stands for a process with all its sessions.
final class StoreUser: Sendable {}

/// A session of a process that uses a store.
protocol StoreSession: AnyObject {
  var user: StoreUser { get }
  var isKilled: Bool { get }

  /// Waits while the process is suspended.
  ///
  /// - Throws: `sessionEnded` if the process is killed.
  func passToWrite() throws(LedgerError)

  /// - Throws: `sessionEnded` if the process is killed.
  func requireAlive() throws(LedgerError)
}

/// Lets operations of stores go wrong as plans say.
final class FaultInjection: Sendable {
  private struct ActivePlan {
    /// The only user of a store whose operations count; `nil` for all.
    let user: StoreUser?
    var counts: [FaultPlan.Operation: Int] = [:]
    var left: [FaultPlan.Fault]

    /// Takes the first fault that is planned for an operation of this number, or was planned for an earlier one that
    /// had a fault already.
    mutating func take(_ operation: FaultPlan.Operation) -> FaultPlan.Fault? {
      let count = counts[operation, default: 0]
      let index = left.firstIndex { $0.operation == operation && $0.number <= count }
      return index.map { left.remove(at: $0) }
    }
  }

  private let plans = Mutex<[ActivePlan]>([])
  /// The gates of all plans.
  private let gates = Mutex<[FaultGate]>([])

  /// The faults that did not happen yet.
  var left: [FaultPlan.Fault] { plans.withLock { $0.flatMap(\.left) } }

  /// - Parameter user: The only user whose operations count.
  func add(_ plan: FaultPlan, for user: StoreUser?) {
    let active = ActivePlan(user: user, left: plan.faults)
    for case .delay(let gate) in plan.faults.map(\.effect) {
      gates.withLock { $0.append(gate) }
    }
    plans.withLock { $0.append(active) }
  }

  /// Forgets all plans, and lets what waits go on.
  func clear() {
    plans.withLock { $0 = [] }
    openGates()
  }

  private func openGates() {
    for gate in gates.withLock({ $0 }) { gate.open() }
  }

  /// Lets a process that was killed leave the gate at which it waits.
  func noteDeath() {
    for gate in gates.withLock({ $0 }) { gate.wakeSleepers() }
  }

  /// Performs an operation, or lets it go wrong.
  ///
  /// - Throws: `sessionEnded` if the process is killed while the operation waits at a gate.
  func perform<R>(
    _ operation: FaultPlan.Operation, by session: some StoreSession,
    _ body: () throws(LedgerError) -> R
  ) throws(LedgerError) -> R {
    switch fault(of: operation, by: session.user)?.effect {
    case nil: return try body()
    case .fail(let code):
      throw LedgerError(code, "A test planned that this \(operation) fails. Nothing was done.")
    case .loseAnswer:
      _ = try body()
      throw .planned(operation)
    case .tear: throw .planned(operation)
    case .delay(let gate):
      gate.pass { session.isKilled }
      // It may have been suspended meanwhile.
      if operation != .read { try session.passToWrite() }
      try session.requireAlive()
      return try body()
    }
  }

  private func fault(
    of operation: FaultPlan.Operation, by user: StoreUser
  ) -> FaultPlan.Fault? {
    plans.withLock { plans in
      var fault: FaultPlan.Fault?
      for index in plans.indices
      where plans[index].user.map({ $0 === user }) ?? true {
        plans[index].counts[operation, default: 0] += 1
        // The fault of another plan stays planned.
        if fault == nil { fault = plans[index].take(operation) }
      }
      return fault
    }
  }
}

extension LedgerError {
  fileprivate static func planned(_ operation: FaultPlan.Operation) -> LedgerError {
    LedgerError(
      .commitOutcomeUnknown,
      "A test planned that the outcome of this \(operation) is unknown. Read what became of it.")
  }
}
