import LedgerLinearizability
import LedgerTestSupport
import Logging
import PromiseLedger

/// Carries out random requests about a few objects, side by side with other processes, and prints each call
/// and each answer with its time, as `RecordedHistories` reads them.
///
/// A line `go NUMBER` on standard input starts a history with that number, which has objects of its own;
/// `end NUMBER` is printed when it is done.
struct Histories {
  /// A deliberate bug, to show that the checker finds it.
  enum Bug: String {
    /// Reads show a state that was taken when the history began.
    case staleReads = "stale-reads"
    /// The outcome is delivered, and its consumption is not recorded.
    case unrecordedConsumption = "unrecorded-consumption"
    /// Commands are answered before they are durable.
    case earlyAnswers = "early-answers"
  }

  private static let taskCount = 2
  private static let requestCount = 6

  private let path: String
  private let name: String
  private let role: SessionRole
  private let seed: UInt64
  private let bug: Bug?
  private let losesAnswers: Bool

  init(_ path: String, _ arguments: inout Arguments) throws {
    self.path = path
    name = try arguments.next("name")
    role = try arguments.role()
    seed = UInt64(try arguments.number("seed"))
    losesAnswers = arguments.has("loses-answers")
    bug = arguments.rest().lazy.compactMap(Bug.init).first
  }

  func run() async throws {
    let notes = HistoryNotes(process: name)
    let isLossy = Flag()
    let ledger = try await open(notes, isLossy)
    if losesAnswers { isLossy.set() }
    Output.line("opened \(ledger.session)")
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.first == "go", words.count == 2, let number = UInt64(words[1]) else {
        throw UsageError(what: "no command \(line)")
      }
      await run(
        number,
        HistoryClient(
          ledger: ledger, notes: notes, recordsConsumption: bug != .unrecordedConsumption,
          staleState: bug == .staleReads ? try await ledger.state() : nil))
      Output.line("end \(number)")
    }
    await ledger.close()
  }

  private func open(_ notes: HistoryNotes, _ isLossy: Flag) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    configuration.instance = name
    configuration.automaticCompaction = nil
    // It would warn of every request that is refused.
    configuration.logger = Logger(label: "histories") { _ in SwiftLogNoOpLogHandler() }
    // The extension leaves the work to the others.
    if role == .app { configuration.runner = .automatic }
    #if DEBUG
      configuration.hooks.acknowledgesBeforeCommit = bug == .earlyAnswers
    #endif
    try configuration.handlers.register(ObservedHandler.self, with: String.self) { call, _ in
      CallNotes(notes: notes, call: call)
    }
    try configuration.handlers.register(ObservedWork.self) { notes }
    let directory = try LedgerDirectory(checking: path)
    let id = LedgerID(entityID: configuration.idGenerator.makeID(at: .now))
    return try await Ledger.open(
      { () throws(LedgerError) in
        LossyStore(
          try LMDBEventStore.openOrCreate(
            directory, options: StoreOptions(sizeLimit: 1 << 30), newLedgerID: id, now: .now),
          isArmed: isLossy)
      }, FileSessionRegistry(in: directory), as: role, configuration: configuration)
  }

  /// Makes requests in several tasks. Those that wait for an outcome go on by themselves, until the tasks are
  /// done: the outcome may never come.
  private func run(_ number: UInt64, _ client: HistoryClient) async {
    let waits = await withTaskGroup(of: [Task<Void, Never>].self) { group in
      for task in 0..<Self.taskCount {
        group.addTask {
          var generator = SeededGenerator(seed: seed)
          for salt in [number, UInt64(task), UInt64(name.hashlessSum)] {
            generator = SeededGenerator(seed: generator.next() &+ salt)
          }
          return await makeRequests(in: number, client, &generator)
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for wait in waits { wait.cancel() }
    for wait in waits { await wait.value }
  }

  private func makeRequests(
    in history: UInt64, _ client: HistoryClient, _ generator: inout SeededGenerator
  ) async -> [Task<Void, Never>] {
    var waits: [Task<Void, Never>] = []
    for number in 0..<Self.requestCount {
      // Without objects, there is nothing to request.
      let creates = number < 3 && Bool.random(using: &generator)
      let choice = HistoryChoice(in: history, by: role, creates: creates, &generator)
      if choice.waits {
        waits.append(Task { await client.make(choice) })
      } else {
        await client.make(choice)
      }
    }
    return waits
  }
}

extension String {
  /// A number for the text that is the same in every process.
  fileprivate var hashlessSum: Int { utf8.reduce(0) { ($0 &* 31) &+ Int($1) } }
}
