import LedgerRuntime

/// One sort of things in an overview.
struct OverviewFinding {
  /// What a person has to do with it.
  enum Group: String, CaseIterable {
    case failed
    case stuck
    case waits
  }

  /// The sorts, the worst first in each group. The names are those in JSON.
  enum Kind: String, CaseIterable {
    case parkedWork, failedWork, failedPromises, failedHandlers, retryingWork
    case lostWork, lostCalls, deadSessions, orphanedWork, frozenWork, givenBackCalls
    case orphanedPromises, overduePromises
    case waitingWork, timedWork, dueWork, runningWork, waitingJoints, pendingPromises
    case unconsumedPromises
    case runningCalls, uncalledHandlers

    var group: Group {
      switch self {
      case .parkedWork, .failedWork, .failedPromises, .failedHandlers, .retryingWork: .failed
      case .lostWork, .lostCalls, .deadSessions, .orphanedWork, .frozenWork, .givenBackCalls,
        .orphanedPromises, .overduePromises:
        .stuck
      case .waitingWork, .timedWork, .dueWork, .runningWork, .waitingJoints, .pendingPromises,
        .unconsumedPromises, .runningCalls, .uncalledHandlers:
        .waits
      }
    }

    fileprivate var words: String {
      switch self {
      case .parkedWork: "work parked until an operator acts"
      case .failedWork: "work failed for good"
      case .failedPromises: "promises rejected or timed out, not consumed"
      case .failedHandlers: "handlers whose newest run failed"
      case .retryingWork: "work failed, to be run again"
      case .lostWork: "work run by a process that is gone"
      case .lostCalls: "calls run by a process that is gone"
      case .deadSessions: "sessions whose process is gone"
      case .orphanedWork: "work due, and no session is open"
      case .frozenWork: "work run by a frozen session"
      case .givenBackCalls: "calls given back, to be run again"
      case .orphanedPromises: "promises that probably nothing settles"
      case .overduePromises: "promises whose deadline has passed"
      case .waitingWork: "work waits for promises"
      case .timedWork: "work waits for a time"
      case .dueWork: "work due"
      case .runningWork: "work runs"
      case .waitingJoints: "joints wait for other promises"
      case .pendingPromises: "promises pending"
      case .unconsumedPromises: "promises settled, not consumed"
      case .runningCalls: "calls run"
      case .uncalledHandlers: "handlers wait for a call"
      }
    }

    /// The verb that lists them, and its options.
    fileprivate var list: [String] {
      switch self {
      case .parkedWork: ["work", "--state", "parked"]
      case .failedWork: ["work", "--state", "failed"]
      case .failedPromises: ["promises", "--state", "failed"]
      case .failedHandlers: ["handlers", "--state", "failed"]
      case .retryingWork: ["work", "--state", "retrying"]
      case .lostWork, .frozenWork, .runningWork: ["work", "--state", "running"]
      case .lostCalls, .givenBackCalls, .runningCalls, .uncalledHandlers:
        ["handlers", "--state", "active"]
      case .deadSessions: ["sessions", "--state", "dead"]
      case .orphanedWork: ["work", "--state", "orphaned"]
      case .orphanedPromises: ["promises", "--orphaned"]
      case .overduePromises, .pendingPromises: ["promises", "--state", "pending"]
      case .waitingWork, .timedWork: ["work", "--state", "waiting"]
      case .dueWork: ["work", "--state", "due"]
      case .waitingJoints: ["promises", "--joints"]
      case .unconsumedPromises: ["promises", "--state", "resolved"]
      }
    }
  }

  let kind: Kind
  private(set) var count = 0
  private var oldest: (id: EntityID, time: Timestamp?)?

  init(_ kind: Kind) { self.kind = kind }

  mutating func add(_ id: EntityID, _ time: Timestamp?) {
    count += 1
    guard let known = oldest else {
      oldest = (id, time)
      return
    }
    if let time, known.time.map({ time < $0 }) ?? true { oldest = (id, time) }
  }

  /// It in words, and how old the oldest is.
  func words(at now: Timestamp) -> String {
    guard let time = oldest?.time else { return kind.words }
    return "\(kind.words) (\(count == 1 ? "" : "oldest ")\(time.ago(at: now)))"
  }

  /// The words of the command that tells more.
  private func next(for ledger: LedgerWords) -> [String] {
    guard count == 1, let id = oldest?.id, kind != .deadSessions else {
      return ledger.command(kind.list[0], Array(kind.list.dropFirst()))
    }
    return ledger.command("explain", ["\(id)"])
  }

  func command(of ledger: LedgerWords) -> String { next(for: ledger).shellLine }

  func json(of ledger: LedgerWords) -> JSONValue {
    var members: [String: JSONValue] = [
      "group": .string(kind.group.rawValue), "finding": .string(kind.rawValue),
      "count": .integer(Int64(count)), "next": .strings(next(for: ledger)),
    ]
    members["oldest"] = oldest?.time.map { .string("\($0)") }
    members["oldestID"] = oldest.map { .string("\($0.id)") }
    return .object(members)
  }
}
