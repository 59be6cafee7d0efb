import LedgerModel
import LedgerRuntime

/// What is left of a ledger in words, without what two runs of a program need not have in common: ids,
/// positions, times and sessions.
enum EndState {
  /// A line for each promise and handler, in the order of the lines.
  static func lines(of ledger: Ledger) async throws -> [String] {
    let state = try await ledger.state()
    var lines: [String] = []
    var promises: [PromiseID] = []
    try state.forEachPromise([.pending, .resolved, .consumed, .abandoned]) { record in
      promises.append(record.id)
      return true
    }
    // Work and joints are in a list of their own while they are pending.
    promises += try await ledger.openWork().map(\.id).filter { !promises.contains($0) }
    for id in promises {
      guard let record = try state.record(of: id) else { continue }
      lines.append(line(of: record))
    }
    try state.forEachHandler(includesClosed: true) { record in
      lines.append(line(of: record))
      return true
    }
    return lines.sorted()
  }

  private static func line(of record: PromiseRecord) -> String {
    let name = record.key ?? record.label ?? record.work?.kind ?? record.typeTag
    let outcome = record.outcome.map { outcome in
      ", " + outcome.map { $0.bytes.asText }.words
    }
    let reason = record.abandonReason.map { ", \($0)" }
    return "promise \(name): \(record.status)\(outcome ?? "")\(reason ?? "")"
  }

  private static func line(of record: HandlerRecord) -> String {
    let name = record.key ?? record.label
    let calls = record.openCalls.isEmpty ? "" : ", \(record.openCalls.count) unfinished calls"
    let finish = record.lastFinish.map { ", last run: \($0.outcome)" } ?? ""
    return
      "handler \(record.kind)\(name.map { " \($0)" } ?? ""): \(record.status)\(finish)\(calls)"
  }
}
