import Foundation
import LedgerSystem
import LedgerWorkerSupport
import PromiseLedger
import PromiseLedgerTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

extension CrashTests {
  /// Processes that are killed while their sessions are frozen, or think that they are.
  @Suite(.timeLimit(.minutes(3))) struct SessionDeathTests {
    private let temporary: TemporaryLedger

    init() throws { temporary = try TemporaryLedger() }

    private func serve(_ role: String) async throws -> (worker: WorkerProcess, session: SessionID) {
      let worker = try WorkerProcess(["serve", temporary.path, role])
      let line = try #require(await worker.nextLine())
      #expect(line.hasPrefix("opened "))
      let session = try #require(SessionID(String(line.dropFirst("opened ".count))))
      return (worker, session)
    }

    /// The sessions that were recorded as died.
    private func deaths() throws -> [SessionID: Int] {
      var deaths: [SessionID: Int] = [:]
      for event in try BlockingInspector(at: temporary.path).events() {
        guard event.kind == .sessionClosed,
          try event.decode(as: SessionClosed.self)?.reason == .died
        else { continue }
        deaths[SessionID(entityID: event.subject), default: 0] += 1
      }
      return deaths
    }

    @Test func thirtyOfThirtyThatWereKilledWhileFrozenAreEnded() async throws {
      var killed: Set<SessionID> = []
      for number in 0..<30 {
        let (worker, session) = try await serve(["appExtension", "operator", "app"][number % 3])
        #expect(
          try await worker.ask("create k\(number)")?.hasPrefix("created") == true, "\(number)")
        #expect(try await worker.ask("freeze") == "frozen true", "\(number)")
        worker.send(signal: SIGKILL)
        _ = await worker.end()
        killed.insert(session)
      }
      // Of another instance, and no app.
      var configuration = LedgerConfiguration()
      configuration.instance = "another"
      let next = try await temporary.open(as: .appExtension, configuration: configuration)
      #expect(try deaths() == Dictionary(uniqueKeysWithValues: killed.map { ($0, 1) }))
      await next.close()
      let sessions = temporary.path + "/sessions"
      #expect(try FileManager.default.contentsOfDirectory(atPath: sessions) == [])
    }

    @Test func aFrozenSessionWhoseProcessRunsIsNotEnded() async throws {
      let (worker, _) = try await serve("appExtension")
      #expect(try await worker.ask("freeze") == "frozen true")
      for role in SessionRole.allCases { await (try temporary.open(as: role)).close() }
      #expect(try deaths().isEmpty)
      #expect(try await worker.ask("unfreeze") == "unfrozen")
    }

    @Test(arguments: ["appExtension", "operator", "app"])
    func aCallIsGivenBackWhenItsProcessIsKilledAfterAFreezeThatWasNotRecorded(
      role: String
    ) async throws {
      let (worker, session) = try await serve(role)
      #expect(try await worker.ask("start h") == "started")
      let (writer, _) = try await serve("operator")
      #expect(try await writer.ask("stop-in-gate") == "armed")
      try writer.send("create k")
      #expect(await writer.nextLine() == "stopping")
      #expect(try await worker.ask("freeze") == "frozen false")
      worker.send(signal: SIGKILL)
      _ = await worker.end()
      writer.send(signal: SIGCONT)
      #expect(await writer.nextLine()?.hasPrefix("created") == true)

      var configuration = LedgerConfiguration()
      configuration.instance = "another"
      try configuration.handlers.register(Endless.self)
      let next = try await temporary.open(as: .app, configuration: configuration)
      // Ended by the writer's poll or by the opening, once.
      #expect(try deaths() == [session: 1])
      let calls = try await next.unfinishedCalls()
      #expect(calls.count == 1 && calls.first?.release == .died)
      for call in calls { _ = try await next.retry(call) }
      #expect(try await next.unfinishedCalls().isEmpty)
      await next.close()
      #expect(try await writer.ask("close") == "closed")
      try expectOneReplay(temporary.path)
    }

    /// Another user may neither read nor lock a session's file; only the log's record of its
    /// process is left.
    @Test(.enabled(if: geteuid() == 0))
    func aKilledSessionOfAnotherUserIsEnded() async throws {
      let (killed, killedSession) = try await serve("appExtension")
      let (living, livingSession) = try await serve("appExtension")
      killed.send(signal: SIGKILL)
      _ = await killed.end()
      try give(to: 65_534, except: [killedSession, livingSession])

      let rights = try WorkerProcess(["rights", temporary.path, "65534", "open"])
      #expect(await rights.rest() == ["open opened"])
      #expect(await rights.end() == .exited(0))
      #expect(try deaths() == [killedSession: 1])
      #expect(try await living.ask("close") == "closed")
    }

    /// Gives the ledger to a user, without the lock files of some sessions.
    private func give(to user: Int, except sessions: [SessionID]) throws {
      let files = FileManager.default
      let root = temporary.path
      try files.setAttributes(
        [.posixPermissions: 0o755],
        ofItemAtPath: URL(fileURLWithPath: root).deletingLastPathComponent().path)
      let kept = Set(sessions.map { "sessions/\($0).lock" })
      for path in [""] + (try files.subpathsOfDirectory(atPath: root)) where !kept.contains(path) {
        try files.setAttributes(
          [.ownerAccountID: user, .groupOwnerAccountID: user], ofItemAtPath: "\(root)/\(path)")
      }
    }
  }
}

/// Of the kind that a worker runs until its process ends: here it ends at once.
private struct Endless: LedgerHandler {
  static let kind = "endless"

  func run(in call: HandlerCall<Void>) throws {}
}
