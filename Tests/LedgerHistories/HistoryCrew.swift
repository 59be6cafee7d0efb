import LedgerLinearizability
import LedgerSystem
import LedgerTestSupport
import LedgerWorkerSupport

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The processes that make histories on one ledger: two apps and an extension.
struct HistoryCrew {
  private struct Member {
    let process: WorkerProcess
    let name: String
    var session: String?
  }

  private static let roles = ["app", "app", "appExtension"]
  static var size: Int { roles.count }

  private let startWorker: (_ name: String, _ role: String) throws -> WorkerProcess
  private var members: [Member] = []
  private var startCount = 0
  private(set) var histories = RecordedHistories()
  private(set) var killCount = 0
  private(set) var problems: [String] = []

  /// - Parameter startWorker: Starts a process, which opens the ledger.
  init(
    _ startWorker: @escaping (_ name: String, _ role: String) throws -> WorkerProcess
  ) throws {
    self.startWorker = startWorker
    for role in Self.roles { members.append(try start(as: role)) }
  }

  private mutating func start(as role: String) throws -> Member {
    startCount += 1
    let name = "process\(startCount)"
    return Member(process: try startWorker(name, role), name: name)
  }

  /// Waits until all have opened the ledger.
  mutating func open() async throws {
    for index in members.indices { await awaitOpening(of: index) }
  }

  private mutating func awaitOpening(of index: Int) async {
    // Its runner may run work that is left before it prints that the ledger is open.
    while let line = await members[index].process.nextLine() {
      if line.hasPrefix("opened ") {
        members[index].session = String(line.dropFirst("opened ".count))
        return
      }
      note(line, of: index)
    }
    problems.append("\(members[index].name) ended before it opened the ledger")
  }

  /// Runs one history.
  ///
  /// - Parameters:
  ///   - victim: The process to kill, if any.
  ///   - lineCount: The number of lines after which it is killed.
  mutating func run(_ number: Int, killing victim: Int?, after lineCount: Int) async throws {
    for member in members { try member.process.send("go \(number)") }
    if let victim { try await kill(victim, in: number, after: lineCount) }
    for index in members.indices where index != victim {
      while let line = await members[index].process.nextLine(), line != "end \(number)" {
        note(line, of: index)
      }
    }
    // Only now: until then, the others find a dead process in their way, and no new one.
    if let victim {
      members[victim] = try start(as: Self.roles[victim])
      await awaitOpening(of: victim)
    }
  }

  private mutating func kill(_ victim: Int, in number: Int, after lineCount: Int) async throws {
    let member = members[victim]
    for _ in 0..<lineCount {
      guard let line = await member.process.nextLine(), line != "end \(number)" else { break }
      note(line, of: victim)
    }
    let began = HistoryTime.now
    member.process.send(signal: SIGKILL)
    for line in await member.process.rest() where line != "end \(number)" {
      note(line, of: victim)
    }
    guard await member.process.end() == .signalled(SIGKILL) else {
      problems.append("\(member.name) ended by itself")
      return
    }
    histories.noteDeath(
      of: member.name, session: member.session, between: began, and: HistoryTime.now)
    killCount += 1
  }

  private mutating func note(_ line: String, of index: Int) {
    if !histories.note(line) { problems.append("\(members[index].name) printed: \(line)") }
  }

  /// Ends all processes, and notes what they still print.
  mutating func close() async {
    for member in members { member.process.closeInput() }
    for index in members.indices {
      for line in await members[index].process.rest() { note(line, of: index) }
      if await members[index].process.end() != .exited(0) {
        problems.append("\(members[index].name) failed")
      }
    }
  }
}
