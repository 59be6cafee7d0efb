import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// The data file after many promises were created, resolved and consumed, with the automatic policy
/// at work. It is compared with the live state, the largest number of events in the log, and 64
/// bytes a tombstone.
///
/// Records and events are removed as soon as possible.
enum SpaceBenchmark {
  static func runIDs(_ report: inout Report, cycles: Int) async throws {
    try await measure("random ids", cycles, isKeyed: false, &report)
  }

  static func runKeys(_ report: inout Report, cycles: Int) async throws {
    try await measure("keys", cycles, isKeyed: true, &report)
  }

  private static func measure(
    _ name: String, _ cycles: Int, isKeyed: Bool, _ report: inout Report
  ) async throws {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.recordRetention = .zero
    let automatic = AutomaticCompaction(policy: policy)
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = automatic
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let options = StoreOptions(sizeLimit: 1 << 40)
    let store = try LMDBEventStore(opening: LedgerDirectory(path), options: options)
    let tailWatch = Task { try await longestTail(store) }
    let duration = try await timeAsync {
      try await run(cycles, in: ledger, isKeyed: isKeyed)
    }
    tailWatch.cancel()
    let tail = try await tailWatch.value
    // The rest is folded to show the size of the state.
    try await compact(ledger, policy)
    let counts = try store.snapshotSummary().counts
    store.close()
    await ledger.close()
    let file = LedgerDirectory(path).generation(LedgerDirectory.firstGeneration) + "/data.mdb"
    let fileBytes = Double(try FileSystem.fileSize(file))
    let live = Double(counts.bytes + 16 * counts.records)
    let tombstones = 64 * Double(counts.tombstones)
    let rate = 3 * Double(cycles) / duration.inMicroseconds * 1_000
    let tailBytes = Double(tail.eventCount) * tail.bytesPerEvent
    let parts = [fileBytes, live, tailBytes, tombstones].map { "\(Int($0) >> 10)" }
    report.add(
      "file after \(cycles) cycles, \(name), times what is kept",
      fileBytes / (live + tailBytes + tombstones), .atMost(3),
      "KiB of file, state, tail, tombstones: \(parts.joined(separator: ", "))")
    report.add(
      "longest tail, times where the policy begins",
      Double(tail.eventCount) / Double(automatic.tailEventCount), nil,
      "\(rounded(rate)) thousand events/s")
  }

  /// Observes how many events the log holds, until it is cancelled.
  private static func longestTail(
    _ store: LMDBEventStore
  ) async throws -> (eventCount: UInt64, bytesPerEvent: Double) {
    var longest: UInt64 = 0
    var bytesPerEvent = 0.0
    while !Task.isCancelled {
      let deleted = try store.snapshotSummary().deletedThrough
      let head = try store.head()
      longest = max(longest, head.rawValue - min(deleted, head).rawValue)
      if head.rawValue > 1_000, let bytes = try self.bytesPerEvent(store) { bytesPerEvent = bytes }
      try? await Task.sleep(for: .milliseconds(20))
    }
    return (longest, bytesPerEvent)
  }

  /// Compacts after any running automatic compaction has ended.
  private static func compact(_ ledger: Ledger, _ policy: CompactionPolicy) async throws {
    while true {
      do {
        try await ledger.compact(policy)
        return
      } catch let error as LedgerError where error.code == .compactionBusy {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  private static func run(_ cycles: Int, in ledger: Ledger, isKeyed: Bool) async throws {
    let tasks = min(64, cycles)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          for number in stride(from: task, to: cycles, by: tasks) {
            let promise = try await make(number, in: ledger, isKeyed: isKeyed)
            try await promise.fulfill("a value of some length")
            _ = try await promise.consume()
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private static func make(
    _ number: Int, in ledger: Ledger, isKeyed: Bool
  ) async throws -> DurablePromise<String> {
    guard isKeyed else { return try await ledger.createPromise(of: String.self) }
    let key = try PromiseKey("key \(number)")
    return try await ledger.createPromise(key: key, of: String.self)
  }

  /// `nil` if the events are deleted during the count.
  private static func bytesPerEvent(_ store: LMDBEventStore) throws -> Double? {
    var bytes = 0
    var events = 0
    let start = try store.snapshotSummary().deletedThrough
    do throws(LedgerError) {
      _ = try store.read(after: start, limit: 1_000) { (frame) throws(LedgerError) in
        bytes += frame.header.byteCount
        events += frame.header.eventCount
      }
    } catch {
      guard error.code == .eventsDeleted else { throw error }
      return nil
    }
    return events == 0 ? nil : Double(bytes) / Double(events)
  }
}
