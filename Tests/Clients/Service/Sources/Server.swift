import Foundation
import LedgerRuntime
import LedgerRuntimeTesting
import Logging
import ServiceLifecycle

/// Runs work as a service of a group, shuts the group down, and checks what became of the work.
@main
struct Server {
  static func main() async throws {
    let memory = MemoryLedger()
    let begun = AsyncStream<Void>.makeStream()
    let gate = AsyncStream<Void>.makeStream()
    let ledger = try await open(
      memory, Letter.Post(begun: begun.continuation, gate: gate.stream, isLast: false))
    let short = try await ledger.start(Letter(isLong: false))
    let long = try await ledger.start(Letter(isLong: true))

    let limits = RunnerLimits(gracePeriod: .milliseconds(500))
    let server = Task { try await serve(ledger, limits, Logger(label: "server")) }
    var starts = begun.stream.makeAsyncIterator()
    for _ in 1...2 { await starts.next() }
    // As the system does when it ends a server.
    kill(getpid(), SIGTERM)
    gate.continuation.finish()
    try await server.value

    // Code that ends in the grace time settles its promise, and other work is given back.
    try require(try await short.outcome == .fulfilled(1), "short work has ended")
    let given = try await ledger.record(of: long.id)?.work
    try require(given?.state == .waiting(.now), "long work was given back")
    try require(given?.failureCount == 0, "that is no failure")
    await ledger.close()

    let next = try await open(
      memory, Letter.Post(begun: begun.continuation, gate: gate.stream, isLast: true))
    let isDone = try await LedgerRunner(next).drain(until: .now + .seconds(60))
    try require(isDone, "all work has ended")
    let outcome = try await next.promise(id: long.id, of: Int.self).outcome
    try require(outcome == .fulfilled(2), "long work was run again")
    await next.close()
    print("The server shut down, and nothing was lost.")
  }

  /// Runs work until the process is told to end.
  private static func serve(
    _ ledger: Ledger, _ limits: RunnerLimits, _ logger: Logger
  ) async throws {
    let runner = LedgerRunner(ledger, limits: limits)
    let group = ServiceGroup(
      services: [runner], gracefulShutdownSignals: [.sigterm], logger: logger)
    try await group.run()
  }

  private static func open(_ memory: MemoryLedger, _ post: Letter.Post) async throws -> Ledger {
    var configuration = LedgerConfiguration()
    try configuration.handlers.register(Letter.self) { post }
    return try await memory.open(as: .app, configuration: configuration)
  }

  private static func require(_ isTrue: Bool, _ what: String) throws {
    guard isTrue else { throw Unmet(what: what) }
  }

  private struct Unmet: Error {
    let what: String
  }
}

/// Work that ends when a gate opens, or when it is cancelled.
private struct Letter: LedgerWork {
  struct Post: Sendable {
    let begun: AsyncStream<Void>.Continuation
    let gate: AsyncStream<Void>
    let isLast: Bool
  }

  static let kind = "letter"
  let isLong: Bool

  func run(in call: WorkCall<Post>) async throws -> Int {
    call.context.begun.yield()
    if call.context.isLast { return call.attempt }
    if isLong { try await Task.sleep(for: .seconds(1_000_000)) }
    for await _ in call.context.gate {}
    return call.attempt
  }
}
