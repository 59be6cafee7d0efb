package import LedgerRuntime
import LedgerTestSupport
import Logging

/// Carries out random requests about a few objects, side by side with other processes, and prints each call
/// and each answer with its time, as `RecordedHistories` reads them.
///
/// A line `go NUMBER` on standard input starts a history with that number, which has objects of its own;
/// `end NUMBER` is printed when it is done.
package struct HistoryMaker: Sendable {
  private static let taskCount = 2
  private static let requestCount = 6

  private let name: String
  private let role: SessionRole
  private let seed: UInt64
  private let notes: HistoryNotes

  /// Whether an outcome that is delivered is also consumed. If not, the checker must find it.
  package var recordsConsumption = true
  /// Whether reads show a state that was taken when the history began. If so, the checker must find it.
  package var readsAreStale = false

  /// - Parameter print: Prints a line in one call of the system, so that no kill tears it.
  package init(
    _ name: String, as role: SessionRole, seed: UInt64, print: @escaping @Sendable (String) -> Void
  ) {
    (self.name, self.role, self.seed) = (name, role, seed)
    notes = HistoryNotes(process: name, print: print)
  }

  /// The configuration of its session.
  package func configuration() throws -> LedgerConfiguration {
    var configuration = LedgerConfiguration()
    configuration.instance = name
    configuration.automaticCompaction = nil
    // It would warn of every request that is refused.
    configuration.logger = Logger(label: "histories") { _ in SwiftLogNoOpLogHandler() }
    // The extension leaves the work to the others.
    if role == .app { configuration.runner = .automatic }
    try configuration.handlers.register(ObservedHandler.self, with: String.self) {
      [notes] call, _ in
      CallNotes(notes: notes, call: call)
    }
    try configuration.handlers.register(ObservedWork.self) { [notes] in notes }
    return configuration
  }

  /// Makes histories until standard input ends.
  package func run(on ledger: Ledger) async throws {
    notes.note("opened \(ledger.session)")
    while let line = readLine() {
      let words = line.split(separator: " ")
      guard words.first == "go", words.count == 2, let number = UInt64(words[1]) else {
        throw HistoryUsageError(what: "no command \(line)")
      }
      await run(
        number,
        HistoryClient(
          ledger: ledger, notes: notes, recordsConsumption: recordsConsumption,
          staleState: readsAreStale ? try await ledger.state() : nil))
      notes.note("end \(number)")
    }
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

/// A request that no history has.
struct HistoryUsageError: Error {
  let what: String
}

extension String {
  /// A number for the text that is the same in every process.
  fileprivate var hashlessSum: Int { utf8.reduce(0) { ($0 &* 31) &+ Int($1) } }
}
