import LedgerMeasuring
import LedgerSystem
import PromiseLedger
import PromiseLedgerTesting

/// Opening a folded ledger with a tail of a thousand events, and unfreezing it: the time compared
/// with that of an empty ledger, and the memory; and both compared with a ledger of a tenth of the
/// size.
///
/// One promise in a hundred is pending with a deadline, and all others are consumed. Each opening
/// is a process of its own, which closes the ledger. A process that is killed makes the next
/// opening check every page, which is measured separately.
enum OpenBenchmark {
  static func run(_ report: inout Report, size: Int) throws {
    let empty = try measure(promiseCount: 0)
    let small = try measure(promiseCount: size / 10)
    let large = try measure(promiseCount: size)
    let note = "\(rounded(large.open)) us against \(rounded(empty.open)) us, \(size) promises"
    report.add(
      "open and first read, times an empty ledger", large.open / empty.open, .atMost(20), note)
    report.add(
      "unfreeze and first read, times an empty ledger", large.unfreeze / empty.unfreeze,
      .atMost(20), "\(rounded(large.unfreeze)) us against \(rounded(empty.unfreeze)) us")
    report.add(
      "anonymous memory of the process, MiB", large.memory / 1_048_576, .atMost(24),
      "empty ledger \(rounded(empty.memory / 1_048_576))")
    report.add("open, times a ledger of a tenth", large.open / small.open, .atMost(2))
    report.add("memory, times a ledger of a tenth", large.memory / small.memory, .atMost(1.1))
    report.add(
      "open after a process was killed, times an opening", large.openAfterKill / large.open, nil,
      "\(rounded(large.openAfterKill)) us")
  }

  /// Medians: microseconds and bytes.
  private struct Opening {
    var open: Double
    var openAfterKill: Double
    var unfreeze: Double
    var memory: Double
  }

  private static func measure(promiseCount: Int) throws -> Opening {
    let directory = try TemporaryDirectory.onDisk()
    let path = directory.path + "/ledger"
    let writer = try HistoryWriter(at: path)
    let kind = HistoryWriter.Kind(pendingEvery: 100, unconsumedEvery: 0)
    var ids: (consumed: PromiseID?, live: PromiseID?) = (nil, nil)
    let chunk = 100_000
    for first in stride(from: 0, to: promiseCount, by: chunk) {
      ids = try writer.write(first..<min(first + chunk, promiseCount), kind)
      try writer.compact()
    }
    // About a thousand events.
    if promiseCount > 0 { try writer.write(promiseCount..<(promiseCount + 336), kind) }
    writer.store.close()
    let looked = [ids.consumed, ids.live].map { $0?.description ?? "-" }
    func openings(_ count: Int, endsByKill: Bool) throws -> [[Double]] {
      try (0..<count).map { _ in
        let child = try Child("open", path, looked[0], looked[1])
        let line = try child.waitForLine()
        if endsByKill { child.end() } else { child.closeInputAndWait() }
        return line.split(separator: " ").compactMap { Double($0) }
      }
    }
    let closing = try openings(9, endsByKill: false)
    // Before the first of them, no process was killed.
    let killed = try openings(6, endsByKill: true).dropFirst()
    return Opening(
      open: closing.map { $0[0] }.median, openAfterKill: killed.map { $0[0] }.median,
      unfreeze: closing.map { $0[1] }.median, memory: closing.map { $0[2] }.median)
  }

  // MARK: The child

  static func runChild(_ path: String, _ ids: [String]) async throws {
    let ids = ids.compactMap { PromiseID($0) }
    let start = MonotonicClock.now
    let ledger = try await Ledger.open(at: path, as: .app, configuration: .withoutCompaction)
    try await look(ids, in: ledger)
    let opened = MonotonicClock.now
    try await ledger.freeze()
    let frozen = MonotonicClock.now
    try await ledger.unfreeze()
    try await look(ids, in: ledger)
    let unfrozen = MonotonicClock.now
    let memory = try MemoryBenchmark.anonymousBytes()
    Child.say(
      "\((opened - start).inMicroseconds) \((unfrozen - frozen).inMicroseconds) \(memory)")
    // Until it is told to close, or is killed.
    _ = readLine()
    await ledger.close()
  }

  private static func look(_ ids: [PromiseID], in ledger: Ledger) async throws {
    for id in ids {
      guard try await ledger.record(of: id) != nil else { throw BaselineError(status: -5) }
    }
  }
}
