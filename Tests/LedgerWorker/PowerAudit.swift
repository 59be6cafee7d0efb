import Foundation
import LedgerSystem
import LedgerTestSupport
import Logging
import PromiseLedger
import PromiseLedgerTesting

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Checks the contents of a disk after a power cut, and prints the problems.
///
/// Each line of its input has six fields:
///
/// - a directory like that of ``PowerTrial``;
/// - the name of a ledger in it;
/// - the position of the last event that a session had seen, or `-` if there was none;
/// - how many answers had told of an event;
/// - the position that the words which processes share say is durable, or `-` if these words are lost;
/// - `honest`, or `lying` if the disk lost data that was synced.
///
/// The answer is `fine`; `lost` and what is lost of the acknowledged data; `wrong` and the reason; or `undead` if
/// the only problem is that sessions or calls of a process that is gone continue. For a lying disk it is also
/// `refused` if opening reported damage, and `noticed` if only a check of all of it did.
struct PowerAudit {
  /// A state takes less than a hundredth of this, except for one in which LMDB loops.
  private static let timeLimitInSeconds: UInt32 = 60

  private let recorded: String
  private var references: [String: PowerReference] = [:]

  init(_ recorded: String, _ arguments: inout Arguments) throws {
    self.recorded = recorded
    let directory = try arguments.next("exports")
    let answers = try String(contentsOfFile: try arguments.next("answers"), encoding: .utf8)
    let scratch = try arguments.next("scratch")
    let exports = try FileSystem.list(directory).map { directory + "/" + $0 }
    for name in ["main", "imported"] {
      references[name] = try PowerReference(
        exports: exports.filter { $0.hasSuffix("-\(name).jsonl") }, at: "\(scratch)/\(name)",
        answers: answers.split(separator: "\n").filter { $0.hasPrefix("did \(name) ") })
    }
  }

  func run() async {
    Output.line("ready")
    while let line = readLine() {
      alarm(Self.timeLimitInSeconds)
      // Waiting for the next state has no time limit.
      defer { alarm(0) }
      do {
        Output.line(try await answer(line.split(separator: " ").map(String.init)))
      } catch let finding as PowerFinding {
        Output.line("\(finding.kind) \(finding.text)")
      } catch {
        Output.line("wrong \(Output.describe(error))")
      }
    }
  }

  private func answer(_ words: [String]) async throws -> String {
    guard words.count == 6, let reference = references[words[1]], let count = Int(words[3]) else {
      throw UsageError(what: "not a state: \(words)")
    }
    let state = PowerState(
      path: "\(words[0])/\(words[1])",
      acknowledged: try reference.acknowledged(head: UInt64(words[2]), answers: count),
      reference: reference)
    if let mark = UInt64(words[4]) { try state.keep(mark: Position(rawValue: mark)) }
    if words[5] == "lying" { return try await auditLied(state) }
    let undead = try await audit(state)
    if words[1] == "main" { try checkArchives(in: words[0]) }
    return undead.isEmpty ? "fine" : "undead \(undead.joined(separator: ", "))"
  }

  /// Checks a ledger of which the disk lost data: it refuses to be opened, or everything is there.
  private func auditLied(_ state: PowerState) async throws -> String {
    let acknowledged = state.acknowledged ?? 0
    let life: PowerLife
    do {
      life = try await PowerLife(of: state.path)
    } catch let error as LedgerError where error.code == .corrupt {
      return "refused \(Output.describe(error))"
    }
    try require(
      life.position.rawValue > acknowledged,
      .loss("Event \(life.position) was acknowledged anew, after \(acknowledged)."))
    do {
      _ = try state.checkNextLife(after: Position(rawValue: acknowledged))
      try state.checkSnapshot()
      return "fine"
    } catch let error as LedgerError where error.code == .corrupt {
      return "noticed \(Output.describe(error))"
    }
  }

  /// Checks a ledger on a disk that kept all synced data.
  ///
  /// - Returns: The sessions and calls that continue although their process is gone.
  private func audit(_ state: PowerState) async throws -> [String] {
    let isThere =
      try FileSystem.kind(state.path) != nil && !FileSystem.list(state.path).isEmpty
    guard isThere else {
      try require(state.acknowledged == nil, .loss("The ledger is gone."))
      // Remains of a ledger that was being created or imported do no harm.
      _ = try await PowerLife(of: state.path)
      return []
    }
    let head = try state.checkContent()
    let life = try await PowerLife(of: state.path)
    try state.check(life.steps, after: head)
    try require(
      life.openWork.isEmpty,
      .wrong("Work did not end when it was run again: \(life.openWork.joined(separator: "; "))"))
    let sessions = try state.checkNextLife(after: head)
    return sessions.map { "session \($0)" } + life.runningCalls.map { "call \($0)" }
  }

  /// Archived events are gone only if their archive is complete.
  private func checkArchives(in root: String) throws {
    let inspector = try BlockingInspector(at: root + "/main")
    defer { inspector.close() }
    let deleted = try inspector.store.snapshotSummary().deletedThrough.rawValue
    let present = Set(try FileSystem.list(root + "/archives"))
    for name in try FileSystem.list(recorded + "/archives") {
      let isWhole = FileManager.default.contentsEqual(
        atPath: "\(root)/archives/\(name)", andPath: "\(recorded)/archives/\(name)")
      // The name ends with the position of the last event.
      let last = name.split(separator: "-").last?.split(separator: ".").first
      guard let last, let end = UInt64(last) else {
        throw UsageError(what: "\(name) is not the name of an archive")
      }
      try require(
        isWhole || deleted < end, .loss("Events were deleted, and \(name) is not whole."))
      try require(
        isWhole || !present.contains(name), .wrong("\(name) has its name and is not whole."))
    }
  }
}

/// The observations of a session that opened the ledger after the power cut.
private struct PowerLife {
  /// The position of the first event that it wrote itself.
  let position: Position
  /// Calls that seem to run, in sessions that are gone.
  let runningCalls: [CallID]
  /// The bodies of steps that ran.
  let steps: [(stage: Int, journey: PromiseID)]
  /// The work that is not settled although all of it could run.
  let openWork: [String]

  /// Opens the ledger as an app does after the next start, writes to it, and runs the work that is left.
  init(of path: String) async throws {
    // Every stay that had begun is over.
    let clock = ManualLedgerClock()
    clock.advance(by: Journey.longStay * 2)
    let diary = RememberingDiary()
    var configuration = try PowerSession.configuration(clock, instance: "default") { diary }
    configuration.logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    let ledger = try await Ledger.open(at: path, as: .app, configuration: configuration)
    let promise = try await ledger.createPromise(of: Int.self)
    position = try await ledger.catchUp()
    try await promise.fulfill(1)
    // The second time, also the stays are over that begin now.
    for _ in 0..<2 where try await !ledger.openWork().isEmpty {
      try await LedgerRunner(ledger).drain(until: clock.now() + .seconds(600))
      clock.advance(by: Journey.longStay)
    }
    openWork = try await ledger.openWork().map { record in
      "\(record.label ?? "") is \(record.work.map { "\($0.state)" } ?? "open")"
    }
    runningCalls = try await ledger.engine.read(fromCopy: true) { state in
      try state.openCalls().filter { !$0.call.isReleased }.map(\.call.id)
    }
    await ledger.close()
    steps = diary.all
  }
}
