public import LedgerModel
import LedgerRuntime

extension LedgerTester {
  /// Lets operations of the store go wrong from now on.
  ///
  /// ```swift
  /// try tester.plan([.loseAnswer(of: .append)], for: app)
  /// ```
  ///
  /// Several plans count by themselves. Each number is an operation of this plan's processes, in the order in
  /// which they begin: let one task work at a time if the order matters. A session that opens, freezes or closes
  /// also appends events.
  ///
  /// - Parameters:
  ///   - plan: The faults.
  ///   - process: The only process whose operations count and go wrong; by default, those of all.
  /// - Throws: `LedgerError` with `invalidArgument` if a fault cannot happen, such as number 0, or the lost
  ///   answer of a read.
  public func plan(_ plan: FaultPlan, for process: LedgerProcess? = nil) throws(LedgerError) {
    try plan.check()
    faults.add(plan, for: process?.gate.user)
  }

  /// The planned faults that did not happen yet.
  public var plannedFaults: [FaultPlan.Fault] { faults.left }

  /// Forgets all planned faults, and lets operations go on that wait at a gate.
  public func forgetPlannedFaults() { faults.clear() }

  /// - Throws: ``PlannedFaultsLeft``.
  func requirePlannedFaults() throws {
    guard checksExpectations, !faults.left.isEmpty else { return }
    throw PlannedFaultsLeft(faults: faults.left.map(\.description))
  }
}

/// An error: a test has ended, and faults that it planned did not happen.
public struct PlannedFaultsLeft: Error, Sendable, Hashable, CustomStringConvertible {
  /// The faults.
  public let faults: [String]

  /// The faults, and what to do.
  public var description: String {
    "These planned faults did not happen: \(faults.joined(separator: "; ")). Lower their numbers, or call forgetPlannedFaults() if the test can end without them."
  }
}

extension LedgerTester {
  /// Waits until a condition holds that another task or process brings about.
  ///
  /// It is checked at once, after each event of the ledger, and every 20 milliseconds in case it is about something
  /// else. The events come from a process that runs. If it is frozen, suspended, closed or killed meanwhile, they come
  /// from another one.
  ///
  /// ```swift
  /// try await tester.wait(until: "the order is paid") {
  ///   try await order.record?.status == .resolved
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - what: The condition in words, for the error.
  ///   - patience: The maximum time to wait, by the clock of the machine.
  ///   - condition: The condition.
  /// - Throws: ``WaitedInVain`` with the words and the newest events, if the condition does not hold in time;
  ///   `LedgerError` with `invalidArgument` if no process runs, or no longer; any error of `condition`.
  public func wait(
    until what: String, patience: Duration = .seconds(60),
    _ condition: @escaping @Sendable () async throws -> Bool
  ) async throws {
    do {
      try await LedgerRuntimeTesting.wait(for: what, patience) { [self] in
        if try await withRunningProcess({ try await $0.follow(until: condition) }) != nil { return }
        throw LedgerError(
          .invalidArgument, "No process runs, so nothing can happen. Open one, or resume it.")
      }
    } catch var error as WaitedInVain {
      error.newestEvents = (try? newestEvents()) ?? []
      throw error
    }
  }

  /// The last events of the ledger, in words.
  private func newestEvents() throws -> [String] {
    try withStore { (store) throws(LedgerError) in
      let head = try store.head()
      let start = Position(rawValue: head.rawValue - min(head.rawValue, 10))
      return try store.storedEvents(after: start, through: head, limit: 10)
        .map { "\($0.event.view.position) \($0.event.view.kind)" }
    }
  }
}

extension LedgerProcess {
  /// Waits until a condition holds. It is checked at once, after each event that the process learns of, and from time
  /// to time.
  ///
  /// - Throws: `closed` if the session is closed first; any error of `condition`.
  fileprivate func follow(until condition: @Sendable () async throws -> Bool) async throws {
    let ledger = ledger
    let position = try await ledger.catchUp()
    let (occasions, continuation) = AsyncThrowingStream.makeStream(
      of: Void.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    continuation.yield()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      group.addTask {
        do {
          for try await _ in ledger.events(after: position) { continuation.yield() }
          throw LedgerError(.closed, "The session was closed while a test waited for its events.")
        } catch {
          continuation.finish(throwing: error)
        }
      }
      group.addTask {
        while !Task.isCancelled {
          continuation.yield()
          try? await Task.sleep(for: .milliseconds(20))
        }
      }
      for try await _ in occasions where try await condition() { return }
      try Task.checkCancellation()
    }
  }
}
