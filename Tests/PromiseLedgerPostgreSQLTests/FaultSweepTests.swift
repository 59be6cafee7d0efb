import LedgerModelTestSupport
import LedgerPostgreSQLTestSupport
import LedgerTestSupport
import Synchronization
import Testing

@testable import LedgerModel
@testable import LedgerRuntime
@testable import PromiseLedgerPostgreSQL

/// A small story of a session, in which each round trip in turn is hit by a fault. The session goes on by itself, or its
/// caller repeats a call that reported that nothing was written. In the end, the ledger holds what the story says.
@Suite(
  .enabled(if: TestServer.isAvailable, "PostgreSQL 14 or newer is missing"),
  .timeLimit(.minutes(10)))
struct FaultSweepTests {
  /// What happens at a round trip. What happens after one happens before the next.
  enum Fault: CaseIterable, Sendable {
    case isLost, answerIsLost, isLate
    /// The server's processes for the session end.
    case processesEnd
  }

  private let server: TestServer

  init() throws {
    server = try TestServer.shared.get()
  }

  /// Of so many round trips, one is hit; in the long run, every one. The faults begin at different ones, so that all
  /// of them together hit every round trip.
  private static let stride = TestAmount.factor > 1 ? 1 : Fault.allCases.count

  @Test(arguments: Fault.allCases)
  func aStoryEndsAsItMust(fault: Fault) async throws {
    let count = try await tell(hitting: nil, by: fault)
    #expect(count > 15)
    let first = 1 + (Fault.allCases.firstIndex(of: fault) ?? 0) % Self.stride
    for number in Swift.stride(from: first, through: count, by: Self.stride) {
      try await tell(hitting: number, by: fault)
    }
  }

  /// Tells the story.
  ///
  /// - Parameter number: The round trip to hit.
  /// - Returns: The number of round trips.
  @discardableResult
  private func tell(hitting number: Int?, by fault: Fault) async throws -> Int {
    let direct = try server.makePlace()
    let proxied = try server.makeProxy()
    let count = Counter()
    let application = proxied.application
    proxied.proxy.setPlan { [weak proxy = proxied.proxy, server] _ in
      // What is late comes before the next round trip.
      proxy?.release()
      guard count.counted() == number else { return .passes }
      switch fault {
      case .isLost: return .isLost
      case .answerIsLost: return .answerIsLost
      case .isLate: return .isLate
      case .processesEnd:
        try? server.terminateConnections(of: application)
        return .passes
      }
    }
    try await Self.act(at: proxied.place(direct))
    let total = count.count
    proxied.proxy.close()
    try check(direct, "\(fault) at \(number ?? 0) of \(total)")
    return total
  }

  private static func act(at place: PostgreSQLLedger) async throws {
    let ledger = try await repeating {
      try await Ledger.open(place, as: .app, configuration: LedgerConfiguration())
    }
    let first = try await repeating { try await ledger.createPromise(of: String.self) }
    _ = try await repeating { try await first.fulfill("kept") }
    let second = try await repeating {
      try await ledger.createPromise(key: PromiseKey("second"), of: Int.self)
    }
    #expect(try await repeating { try await second.record?.status } == .pending)
    #expect(try await repeating { try await first.consume() } == "kept")
    var policy = CompactionPolicy()
    policy.minimumEventCount = 0
    try await repeating { _ = try await ledger.compact(policy) }
    let large = String(repeating: "large", count: 5_000)
    let third = try await repeating { try await ledger.createPromise(of: String.self) }
    _ = try await repeating { try await third.fulfill(large) }
    await ledger.close()
  }

  /// Repeats a call that wrote nothing.
  private static func repeating<R>(_ call: () async throws -> R) async throws -> R {
    var count = 0
    while count < 5 {
      do {
        return try await call()
      } catch let error as LedgerError where error.code == .unavailable {
        // One fault hits several connections, of which each call may meet another.
        count += 1
      } catch let error as LedgerError where error.code == .compactionBusy {
        // The server has yet to find out that a lost connection held the lock.
        await Task.yield()
      }
    }
    return try await call()
  }

  private func check(_ place: PostgreSQLLedger, _ what: String) throws {
    let inspector = BlockingInspector(try PostgreSQLInspection(place))
    defer { inspector.close() }
    let summary = try inspector.verify { finding in Issue.record("\(what): \(finding.message)") }
    #expect(summary.corruptCount == 0, "\(what)")
    let kinds = try inspector.events(after: .start).map(\.kind)
    for (kind, count) in [
      (EventKind.promiseCreated, 3), (.promiseResolved, 2), (.promiseConsumed, 1),
    ] {
      #expect(kinds.count { $0 == kind } == count, "\(kind): \(what)")
    }
  }
}

/// Counts from several threads.
private final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  var count: Int { value.load(ordering: .relaxed) }

  /// Counts one more, and returns its number.
  func counted() -> Int { value.wrappingAdd(1, ordering: .relaxed).newValue }
}
