import Foundation
import LedgerTestSupport
import PromiseLedger
import PromiseLedgerTesting
import Synchronization
import Testing

/// Every verb on a ledger that is written to and compacted all the time.
@Suite(.timeLimit(.minutes(10))) struct BusyLedgerTests {
  private static let roundCount = TestAmount.of(1)
  private static let verbs = [
    ["log", "--format", "json"], ["stats", "--format", "json"], ["verify", "--format", "json"],
    ["digest", "--format", "json"], ["export"], ["compact", "--format", "json"],
    ["compact", "--apply", "--fold-only", "--format", "json"],
    [
      "promises", "--format", "json", "--state", "pending", "--state", "resolved", "--state",
      "consumed",
    ],
    [
      "handlers", "--format", "json", "--state", "active", "--state", "finished", "--state",
      "invalidated",
    ],
    ["work", "--format", "json"], ["work", "--by-kind", "--format", "json"],
    ["sessions", "--state", "alive", "--state", "ended", "--format", "json"],
    ["explain", "--key", "lasting", "--format", "json"],
    ["state", "--all", "--format", "json"], ["log", "--reverse", "--format", "json"],
    ["log", "--tail", "50", "--kind", "promiseCreated", "--format", "json"],
    ["tree", "--key", "lasting", "--format", "json"],
    ["show", "--key", "lasting", "--format", "json"],
    ["show", "--handler-key", "lasting", "--format", "json"],
    ["report", "--output", "-"],
  ]
  /// Verbs that read in one view, or continue where they must, and so are never held up.
  private static let neverBusy: Set = [
    "log", "stats", "verify", "digest", "export", "promises", "handlers", "show",
    "work", "tree", "explain", "sessions", "state", "report",
  ]

  private static let everything: CompactionPolicy = {
    var policy = CompactionPolicy()
    policy.eventRetention = .zero
    policy.minimumEventCount = 0
    policy.recordRetention = .zero
    return policy
  }()

  @Test func everyVerbAnswersOrIsBusy() async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.automaticCompaction = nil
    let app = try await temporary.open(as: .app, configuration: configuration)
    _ = try await app.createPromise(key: PromiseKey("lasting"), of: Int.self)
    try await Self.createHandler(try HandlerKey("lasting"), app)
    let isOver = OverFlag()
    try await withThrowingTaskGroup(of: [String].self) { group in
      group.addTask {
        var number = 0
        while !isOver.isSet {
          try await Self.write(number, app)
          number += 1
        }
        return []
      }
      group.addTask {
        while !isOver.isSet {
          do {
            try await app.compact(Self.everything)
          } catch let error as LedgerError where error.code == .compactionBusy {
            // The tool does it.
            await Task.yield()
          }
        }
        return []
      }
      group.addTask { [path = temporary.path] in
        defer { isOver.set() }
        return await onThread { Self.problems(of: path) }
      }
      for try await problems in group { #expect(problems == []) }
    }
    await app.close()
    #expect(try CommandRun("verify", temporary.path).status == 0)
  }

  /// A promise and a handler from their beginnings to their ends, with large values.
  private static func write(_ number: Int, _ app: Ledger) async throws {
    let promise = try await app.createPromise(of: String.self)
    let large = String(repeating: "x", count: 5_000)
    if number % 2 == 0 {
      try await promise.fulfill(large)
    } else {
      try await promise.reject(StoredError(domain: "d", code: 1, message: large))
    }
    if number % 8 != 0 { try await promise.consume { _ in } }
    let key = try HandlerKey("handler \(number)")
    try await createHandler(key, app)
    if number % 8 != 0 {
      _ = try await app.engine.submit(
        InvalidateHandler(
          id: key.handlerID, call: CallID(entityID: key.handlerID.entityID), reason: "",
          arguments: .none, runsCode: false))
    }
  }

  private static func createHandler(_ key: HandlerKey, _ app: Ledger) async throws {
    let arguments = try ArgumentSet(
      checking: StoredArguments([
        StoredArgument(
          name: "large", typeTag: "bytes", payload: [UInt8](repeating: 1, count: 5_000))
      ]), references: .none)
    _ = try await app.engine.submit(
      CreateHandler(
        id: key.handlerID, HandlerDescription(kind: "k", key: key.text),
        arguments: arguments))
  }

  private static func problems(of path: String) -> [String] {
    var problems: [String] = []
    for _ in 0..<roundCount {
      for verb in verbs {
        do {
          let run = try CommandRun([verb[0], path] + verb.dropFirst())
          let isFine = run.status == 0 || run.status == 4 && !neverBusy.contains(verb[0])
          if !isFine { problems.append("\(verb): \(run.status) \(run.notes)") }
          if !isWhole(run, verb) { problems.append("\(verb): \(run.output.suffix(300))") }
        } catch {
          problems.append("\(verb): \(error)")
        }
      }
    }
    return problems
  }

  /// Whether the output is complete JSON, or empty because the ledger was busy.
  private static func isWhole(_ run: CommandRun, _ verb: [String]) -> Bool {
    if run.output.isEmpty { return run.status == 4 }
    if verb[0] == "report" { return run.output.hasSuffix("</html>\n") }
    let texts =
      verb == ["export"] ? run.output.split(separator: "\n").map(String.init) : [run.output]
    return texts.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil }
  }
}

/// Signals that something is over.
private final class OverFlag: Sendable {
  private let value = Mutex(false)

  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}
