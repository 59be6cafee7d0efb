import LedgerModel
import LedgerRuntime

/// What is left of a ledger in words, without what two runs of a program need not have in common: ids,
/// positions, times and sessions.
enum EndState {
  /// A line for each promise and handler, in the order of the lines. Work and joints are promises, too.
  static func lines(of ledger: Ledger) async throws -> [String] {
    let state = try await ledger.state()
    var lines: [String] = []
    var promises: [PromiseID] = []
    try state.forEachPromise([.pending, .resolved, .consumed, .abandoned]) { record in
      promises.append(record.id)
      return true
    }
    // Open work and joints are in lists of their own until they are settled and, if they need it, consumed.
    try state.forEachWork(at: ledger.now) { record, _ in
      promises.append(record.id)
      return true
    }
    try state.forEachJointOrOutcome { record in
      promises.append(record.id)
      return true
    }
    for id in promises {
      guard let record = try state.record(of: id) else { continue }
      let outcome = try await outcome(of: record, in: ledger)
      lines.append(line(of: record, try name(of: record, in: state), outcome))
    }
    try state.forEachHandler(includesClosed: true) { record in
      lines.append(line(of: record))
      return true
    }
    return lines.sorted()
  }

  /// The outcome of a promise. The value of a joint, which its record does not hold, is composed of those of its
  /// inputs, so that another input than before makes a difference.
  ///
  /// - Returns: `nil` if there is none, or if the record of an input was removed.
  private static func outcome(
    of record: PromiseRecord, in ledger: Ledger
  ) async throws -> PromiseOutcome<StoredValue>? {
    guard record.joint != nil, record.outcomeKind == .fulfilled else { return record.outcome }
    do {
      return try await ledger.storedOutcome(of: record.id)
    } catch let error as LedgerError where error.code == .recordRemoved {
      return nil
    }
  }

  private static func line(
    of record: PromiseRecord, _ name: String, _ outcome: PromiseOutcome<StoredValue>?
  ) -> String {
    let words =
      outcome.map { ", " + $0.map { $0.bytes.asText }.words }
      ?? record.outcomeKind.map { ", \($0)" }
    let reason = record.abandonReason.map { ", \($0)" }
    return "promise \(name): \(record.status)\(words ?? "")\(reason ?? "")"
  }

  /// The key of a child begins with the id of the work to which it belongs. Its name begins with the name of that
  /// work, unless the record of the work was removed.
  private static func name(
    of record: PromiseRecord, in state: ReplayedLedger
  ) throws(LedgerError) -> String {
    guard let key = record.key else { return record.label ?? record.work?.kind ?? record.typeTag }
    guard let parent = record.parent, key.hasPrefix("\(parent)/") else { return key }
    let rest = String(key.dropFirst("\(parent)/".count))
    guard let work = try state.record(of: parent) else { return rest }
    return try name(of: work, in: state) + "/" + rest
  }

  private static func line(of record: HandlerRecord) -> String {
    let name = record.key ?? record.label
    let calls = record.openCalls.isEmpty ? "" : ", \(record.openCalls.count) unfinished calls"
    let finish = record.lastFinish.map { ", last run: \($0.outcome)" } ?? ""
    return
      "handler \(record.kind)\(name.map { " \($0)" } ?? ""): \(record.status)\(finish)\(calls)"
  }
}
