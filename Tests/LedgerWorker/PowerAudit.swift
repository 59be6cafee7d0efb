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
/// Each line of its input has four fields: a directory like that of ``PowerTrial``, the name of a
/// ledger in it, the position up to which events were acknowledged, or `-` if not even the ledger
/// was, and `honest` or `lying`, if the disk lost data that was synced. The answer is `fine`, or
/// `wrong` and the reason, or `undead` if the only problem is that sessions or calls of a process
/// that is gone continue. For a lying disk it is also `refused` if opening reported damage, and
/// `noticed` if only a check of all of it did.
struct PowerAudit {
  /// A state takes less than a hundredth of this, except for one in which LMDB loops.
  private static let timeLimitInSeconds: UInt32 = 60

  private let recorded: String
  private var references: [String: PowerReference] = [:]

  init(_ recorded: String, _ arguments: inout Arguments) throws {
    self.recorded = recorded
    let directory = try arguments.next("exports")
    let scratch = try arguments.next("scratch")
    let exports = try FileSystem.list(directory).map { directory + "/" + $0 }
    for name in ["main", "imported"] {
      references[name] = try PowerReference(
        exports: exports.filter { $0.hasSuffix("-\(name).jsonl") }, at: "\(scratch)/\(name)")
    }
  }

  func run() async {
    Output.line("ready")
    while let line = readLine() {
      alarm(Self.timeLimitInSeconds)
      // Waiting for the next state has no time limit.
      defer { alarm(0) }
      let words = line.split(separator: " ").map(String.init)
      do {
        Output.line(try await answer(words))
      } catch {
        Output.line("wrong \(Output.describe(error))")
      }
    }
  }

  private func answer(_ words: [String]) async throws -> String {
    guard words.count == 4, let reference = references[words[1]] else {
      throw UsageError(what: "not a state: \(words)")
    }
    let state = State(
      path: "\(words[0])/\(words[1])", acknowledged: UInt64(words[2]), reference: reference)
    do {
      if words[3] == "lying" { return try await auditLied(state) }
      let undead = try await audit(state)
      if words[1] == "main" { try checkArchives(in: words[0]) }
      return undead.isEmpty ? "fine" : "undead \(undead.joined(separator: ", "))"
    } catch let finding as Finding {
      return "wrong \(finding.text)"
    }
  }

  /// Checks a ledger of which the disk lost data: it refuses to be opened, or everything is there.
  private func auditLied(_ state: State) async throws -> String {
    let life: Life
    do {
      life = try await live(state)
    } catch let error as LedgerError where error.code == .corrupt {
      return "refused \(Output.describe(error))"
    }
    try require(
      life.position.rawValue > state.acknowledged ?? 0,
      "Event \(life.position) was acknowledged anew, after \(state.acknowledged ?? 0).")
    do {
      _ = try state.checkNextLife(after: Position(rawValue: state.acknowledged ?? 0))
      try state.checkSnapshot()
      return "fine"
    } catch let error as LedgerError where error.code == .corrupt {
      return "noticed \(Output.describe(error))"
    }
  }

  /// Checks a ledger on a disk that kept all synced data.
  ///
  /// - Returns: The sessions and calls that continue although their process is gone.
  private func audit(_ state: State) async throws -> [String] {
    let isThere =
      try FileSystem.kind(state.path) != nil && !FileSystem.list(state.path).isEmpty
    if isThere {
      let head = try state.checkContent()
      let life = try await live(state)
      let sessions = try state.checkNextLife(after: head)
      return sessions.map { "session \($0)" } + life.runningCalls.map { "call \($0)" }
    }
    try require(state.acknowledged == nil, "The ledger is gone.")
    // Remains of a ledger that was being created or imported do no harm.
    _ = try await live(state)
    return []
  }

  /// The observations of a session that opened the ledger after the power cut.
  private struct Life {
    /// The position of the first event that it wrote itself.
    let position: Position
    /// Calls that seem to run, in sessions that are gone.
    let runningCalls: [CallID]
  }

  /// Opens the ledger as an app does after the next start, and writes to it.
  private func live(_ state: State) async throws -> Life {
    var configuration = LedgerConfiguration()
    configuration.logger = Logger(label: "silent") { _ in SwiftLogNoOpLogHandler() }
    configuration.automaticCompaction = nil
    let ledger = try await Ledger.open(at: state.path, as: .app, configuration: configuration)
    let promise = try await ledger.createPromise(of: Int.self)
    let position = try await ledger.catchUp()
    try await promise.fulfill(1)
    let running = try await ledger.engine.read(fromCopy: true) { state in
      try state.openCalls().filter { !$0.call.isReleased }.map(\.call.id)
    }
    await ledger.close()
    return Life(position: position, runningCalls: running)
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
      try require(isWhole || deleted < end, "Events were deleted, and \(name) is not whole.")
      try require(isWhole || !present.contains(name), "\(name) has its name and is not whole.")
    }
  }
}

/// One ledger after a power cut.
private struct State {
  let path: String
  let acknowledged: UInt64?
  let reference: PowerReference

  /// Compares the contents with the history.
  ///
  /// - Returns: The position of the last event.
  func checkContent() throws -> Position {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    _ = try inspector.verify { finding in throw LedgerError(.corrupt, "\(finding)") }
    let head = try inspector.head
    try require(
      head.rawValue >= acknowledged ?? 0,
      "The last event is \(head), and \(acknowledged ?? 0) was acknowledged.")
    try require(head.rawValue <= reference.events.count, "Event \(head) was never written.")
    try compare(try inspector.allEvents(), inspector)
    try require(
      try inspector.digests() == reference.digests(at: head),
      "The state at position \(head) is not what it was.")
    return head
  }

  /// Compares the snapshot with the history, and everything with the snapshot.
  func checkSnapshot() throws {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    _ = try inspector.verify { finding in throw LedgerError(.corrupt, "\(finding)") }
    let summary = try inspector.store.snapshotSummary()
    guard summary.position.rawValue <= reference.events.count else { return }
    let digests = try reference.digests(at: summary.position)
    try require(
      digests.state == summary.stateDigest && digests.log == summary.logDigest,
      "The snapshot at position \(summary.position) is not what it was.")
  }

  private func compare(_ events: [LedgerEvent], _ inspector: BlockingInspector) throws {
    for event in events {
      let original = reference.events[Int(event.position.rawValue) - 1]
      try require(event == original, "Event \(event.position) is not what it was.")
      try require(
        try inspector.attachment(of: event) == reference.attachment(of: original),
        "The value of event \(event.position) is not what it was.")
    }
  }

  /// Checks the ledger after more was written to it: nothing before that changed.
  ///
  /// - Returns: The sessions that did not end.
  func checkNextLife(after head: Position) throws -> [EntityID] {
    let inspector = try BlockingInspector(at: path)
    defer { inspector.close() }
    let events = try inspector.allEvents()
    let old = events.prefix { $0.position <= head }
    try compare(Array(old), inspector)
    let new = events.dropFirst(old.count)
    try require(
      zip(new, (head.rawValue + 1)...).allSatisfy { $0.position.rawValue == $1 },
      "The positions after \(head) are not those that come next.")
    try require(new.contains { $0.kind == .promiseResolved }, "What was written is not there.")
    var open: Set<EntityID> = []
    for event in reference.events.prefix(Int(head.rawValue)) + new {
      if event.kind == .sessionOpened { open.insert(event.subject) }
      if event.kind == .sessionClosed { open.remove(event.subject) }
    }
    return open.sorted()
  }
}

/// A state that must not occur after a power cut.
private struct Finding: Error {
  let text: String
}

private func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  if !condition { throw Finding(text: text()) }
}
