import LedgerPostgreSQL
package import LedgerPostgreSQLTestSupport
import LedgerSystem
import LedgerTestSupport
import PromiseLedgerPostgreSQL

/// Promises that come and go, beside compaction: the tables and indexes must stop growing.
package struct Churn: Sendable {
  private let duration: Duration

  private static let callerCount = 64
  /// The number of events after the snapshot at which the ledger is compacted.
  private static let tailEventCount = 10_000

  package init(for duration: Duration) { self.duration = duration }

  /// The bytes of a table and of its indexes.
  fileprivate struct Size: Sendable {
    var table: Int64 = 0
    var indexes: Int64 = 0
    var all: Int64 { table + indexes }
  }

  /// What a run has seen.
  package struct Report: Sendable {
    fileprivate var promiseCount = 0
    fileprivate var seconds = 0.0
    fileprivate var middle: [String: Size] = [:]
    fileprivate var end: [String: Size] = [:]
    package fileprivate(set) var problems: [String] = []

    /// All figures, on one line.
    package var line: String {
      let tables = end.sorted { $0.key < $1.key }.filter { $0.value.all > 100 << 10 }
      let sizes = tables.map { name, size in
        "\(name) \(size.table >> 10)+\(size.indexes >> 10) (\((middle[name]?.all ?? 0) >> 10) before)"
      }
      return
        "postgresql churn: \(promiseCount) promises came and went in \(Int(seconds)) s, at most KiB of table+indexes in the last third (and in the one before): \(sizes.joined(separator: ", ")), \(problems.count) problems"
    }
  }

  package func run(on server: TestServer) async throws -> Report {
    let place = try server.makePlace()
    var policy = CompactionPolicy.everything()
    policy.minimumEventCount = 1_000
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = AutomaticCompaction(
      tailEventCount: Self.tailEventCount, policy: policy)
    let ledger = try await Ledger.open(place, as: .app, configuration: configuration)
    let start = MonotonicClock.now
    var report = Report()
    let sampling = Task { try await sample(server, from: start) }
    report.promiseCount = try await comeAndGo(ledger, until: start + duration)
    (report.middle, report.end) = try await sampling.value
    report.seconds = (MonotonicClock.now - start) / .seconds(1)
    await ledger.close()
    for (name, size) in report.end {
      let before = max(report.middle[name]?.all ?? 0, 1 << 20)
      // Growth goes on for ever, and a third of the time would show half as much again.
      if size.all > before * 14 / 10 {
        report.problems.append("\(name) grew from \(before >> 10) to \(size.all >> 10) KiB")
      }
    }
    let inspector = try await Ledger.inspect(place)
    let findings = try await inspector.verify { _ in }.corruptCount
    if findings > 0 { report.problems.append("\(findings) findings of the verification") }
    inspector.close()
    return report
  }

  private func comeAndGo(_ ledger: Ledger, until end: Duration) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<Self.callerCount {
        group.addTask {
          var count = 0
          while MonotonicClock.now < end {
            let promise = try await ledger.createPromise(of: Int.self)
            try await promise.fulfill(count)
            _ = try await promise.consume()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
  }

  // MARK: Sizes

  /// The largest sizes in the second and in the last third of the time.
  private func sample(
    _ server: TestServer, from start: Duration
  ) async throws -> (middle: [String: Size], end: [String: Size]) {
    var (middle, end) = ([String: Size](), [String: Size]())
    while case let time = MonotonicClock.now - start, time < duration {
      try await Task.sleep(for: .seconds(1))
      guard time > duration / 3 else { continue }
      let sizes = try await onThread { try Self.sizes(server) }
      let isLast = time > duration * 2 / 3
      for (name, size) in sizes {
        let largest = isLast ? end[name] : middle[name]
        guard size.all > largest?.all ?? -1 else { continue }
        if isLast { end[name] = size } else { middle[name] = size }
      }
    }
    return (middle, end)
  }

  private static func sizes(_ server: TestServer) throws -> [String: Size] {
    let rows = try server.run(
      """
      SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = '\(TestServer.schema)' AND c.relkind = 'r'
      """)
    return try rows.indices.reduce(into: [:]) { sizes, row in
      sizes[rows.text(row, 0)] = Size(
        table: try rows.int8(row, 1), indexes: try rows.int8(row, 2))
    }
  }
}
