import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// Sessions whose processes are alive, frozen and gone, wherever the tool shows them.
@Suite(.timeLimit(.minutes(10)))
struct LivenessTests {
  private static let shop = "019b76da-a800-7000-8700-000000000002"

  @Test func sessionsAreListedByTheirState() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun("sessions", sample.path)
    let process = "\(ProcessInfo.processInfo.processIdentifier)"
    let padded = String(repeating: " ", count: 8 - process.count) + process
    let host = try #require(try await sample.host)
    let rest = "opened 2026-01-01T00:00:00.000000Z, host \"\(host)\""
    #expect(
      run.output == """
        instance          id                                    state   role           process  last event                   details
        shop              019b76da-a800-7000-8700-000000000002  dead    app           \(padded)  2026-01-01T00:00:00.000000Z  runs 1 call, runs 1 work, \(rest)
        chat              019b76da-a800-7000-8700-000000000004  frozen  app           \(padded)  2026-01-01T00:00:00.000000Z  \(rest)

        """)
    #expect(run.notes == "" && run.status == 0)
    await sample.close()
  }

  @Test(arguments: [
    (["--state", "dead"], "2"), (["--state", "frozen", "--state", "dead"], "24"),
    (["--instance", "chat"], "4"), (["--limit", "1"], "2"), (["--state", "ended"], "6"),
    (["--state", "ended", "--state", "dead"], "62"), (["--state", "alive"], ""),
    (["--limit", "0"], ""),
  ])
  func sessionsAreSelected(options: [String], numbers: String) async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun(["sessions", sample.path, "--format", "jsonl"] + options)
    let found = run.output.matches(of: /"id":"019b76da-a800-7000-8700-00000000000(.)"/)
    #expect(found.map { String($0.1) }.joined() == numbers)
    #expect(run.status == 0 && run.notes == "")
    await sample.close()
  }

  @Test func aLivingSessionIsAlive() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("sessions", sample.path)
    #expect(run.output.contains("\nshop              \(Self.shop)  alive   app "))
    #expect(run.status == 0)
    await sample.close()
    #expect(try CommandRun("sessions", sample.path).output.split(separator: "\n").count == 1)
  }

  @Test func sessionsInJSONSayHowTheyAre() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun("sessions", sample.path, "--state", "dead", "--format", "json")
    #expect(run.output.contains(#""liveness":"dead","openedAt":"#))
    #expect(run.output.contains(#""runningCalls":1,"runningWork":1,"state":"open"}"#))
    let pipe = try CommandRun(intoClosedPipe: "sessions", sample.path)
    #expect(pipe.status == 0 && pipe.notes == "")
    await sample.close()
  }

  @Test(arguments: [["--state", "open"], ["--limit=-1"]])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["sessions", "/nowhere"] + options)
    #expect(run.status == 2 && run.output == "")
  }

  /// The log shows a call and work as running; the process that ran them is gone.
  @Test func whatADeadProcessRanIsShownAsSuch() async throws {
    let sample = try await StuckLedger()
    let handlers = try CommandRun("handlers", sample.path)
    #expect(
      handlers.output.contains(
        "  one-shot, call 00000c01, attempt 1, run by session 00000002, dead: its process is gone\n"
      ))
    let json = try CommandRun("handlers", sample.path, "--format", "jsonl")
    #expect(json.output.contains(#""isRunning":true,"liveness":"dead","#))
    let work = try CommandRun("work", sample.path)
    #expect(
      work.output.contains("  attempt 1 in session 00000002, dead: its process is gone\n"))
    let shown = try CommandRun("show", sample.path, "iq-1")
    #expect(shown.output.contains("\nits session  dead: its process is gone\n"))
    #expect(
      shown.output.contains(
        "\nsession      \(Self.shop) is dead: its process is gone (app \"shop\", process "))
    await sample.close()
  }

  @Test func explainNamesWhatRefersToAPromise() async throws {
    let sample = try await StuckLedger()
    let run = try CommandRun("explain", sample.path, "order-7")
    let handler = try HandlerKey("iq-1").handlerID
    let failed = try HandlerKey("iq-2").handlerID
    #expect(
      run.output.contains(
        """

        session   \(Self.shop) is dead: its process is gone (app "shop", process \(ProcessInfo.processInfo.processIdentifier))
        named by  handler \(handler) (iq-1), kind "avatar", call 00000c01, attempt 1, run by session 00000002, dead: its process is gone
        named by  work \(StuckLedger.id(1)), kind "mail", run by session 00000002, dead: its process is gone
        failed    call of handler \(failed) (iq-2) at 2026-01-01T00:00:00.000000Z: net 7: off\\u{1B}line
        command   promise-ledger resolve \(sample.path) \(sample.order) --value JSON --apply
        command   promise-ledger abandon \(sample.path) \(sample.order) --reason TEXT --apply

        """), "\(run.output)")
    #expect(run.notes == "" && run.status == 0)
    let json = try CommandRun("explain", sample.path, "order-7", "--format", "json")
    #expect(
      json.output.contains(
        #""failedCalls":[{"error":{"code":7,"domain":"net","message":"off\u001bline"},"handler":"#))
    #expect(json.output.contains(#""namedBy":[{"handler":"\#(handler)","handlerKind":"avatar"},{"#))
    #expect(json.output.contains(#""liveness":"dead","processID":"#))
    await sample.close()
  }

  @Test func explainOfAHandlerHasTheErrorOfItsCall() async throws {
    let sample = try await StuckLedger()
    let failed = try HandlerKey("iq-2").handlerID
    let run = try CommandRun("explain", sample.path, "iq-2")
    #expect(
      run.output.contains(
        "\nfailed   call of handler \(failed) (iq-2) at 2026-01-01T00:00:00.000000Z: net 7: off\\u{1B}line\n"
      ))
    #expect(run.status == 0)
    let retry = try CommandRun("explain", sample.path, "iq-1")
    #expect(
      retry.output.hasSuffix(
        "\ncommand   promise-ledger retry \(sample.path) \(try HandlerKey("iq-1").handlerID) --apply\n"
      ))
    await sample.close()
  }

  /// What failed for good is in the lists without being asked for.
  @Test func failuresAreListedByDefault() async throws {
    let sample = try await StuckLedger()
    let handlers = try CommandRun("handlers", sample.path)
    let lines = handlers.output.split(separator: "\n")
    #expect(
      lines.last?.hasPrefix("iq-2              \(try HandlerKey("iq-2").handlerID)  finished ")
        == true)
    let work = try CommandRun("work", sample.path)
    #expect(
      work.output.hasSuffix(
        """
                          \(StuckLedger.id(2))  failed    mail                  2026-01-01T00:00:00.000000Z  rejected, mail 550: no \\u{1B}mailbox

        """), "\(work.output)")
    for (verb, id) in [
      ("work", "\(StuckLedger.id(2))"), ("handlers", "\(try HandlerKey("iq-2").handlerID)"),
      ("promises", "\(StuckLedger.id(3))"),
    ] {
      let failed = try CommandRun(verb, sample.path, "--state", "failed", "--format", "jsonl")
      let ids = failed.output.split(separator: "\n").map { $0.contains(#""id":"\#(id)""#) }
      #expect(ids == [true], "\(verb): \(failed.output)")
      #expect(failed.status == 0)
    }
    let promises = try CommandRun("promises", sample.path)
    #expect(promises.output.contains("error bank 51: no money, type int\n"))
    // The list is cut before them.
    let first = try CommandRun("work", sample.path, "--limit", "1", "--format", "jsonl")
    #expect(first.output.contains(#""workState":"running""#))
    #expect(first.output.split(separator: "\n").count == 1)
    await sample.close()
  }

  /// A list starts its search for failures at a position, in the log as in the snapshot.
  @Test func failuresAreFoundAfterAPosition() async throws {
    let sample = try await StuckLedger()
    func failures(after position: UInt64) throws -> [UInt64] {
      var found: [UInt64] = []
      try BlockingInspector(at: sample.path).withReplay { replayed in
        try replayed.forEachEndedFailure(after: Position(rawValue: position)) { failure in
          switch failure {
          case .promise(let record): found.append(record.resolved?.position.rawValue ?? 0)
          case .handler(let record): found.append(record.lastFinish?.trace.position.rawValue ?? 0)
          }
          return true
        }
      }
      return found
    }
    let all = try failures(after: 0)
    try #require(all.count == 2 && all[0] < all[1] && all[0] > 0)
    for isFolded in [false, true] {
      if isFolded {
        let run = try CommandRun("compact", sample.path, "--apply", "--fold-only")
        #expect(run.status == 0, "\(run.notes)")
      }
      #expect(try failures(after: 0) == all)
      #expect(try failures(after: all[0] - 1) == all)
      #expect(try failures(after: all[0]) == [all[1]])
      #expect(try failures(after: all[1]) == [])
    }
    await sample.close()
  }
}
