import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HandlersTests {
  @Test func openOnesAreListed() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("handlers", sample.path)
    #expect(
      run.output == #"""
        name              id                                    state        kind                  created                      details
        iq-1              8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f  active       a\u{1B}[2J\u{A}\u{202E}b  2026-01-11T00:00:00.000000Z  "a\u{1B}[2J\u{A}\u{202E}b", one-shot, scopes "a\u{1B}[2J\u{A}\u{202E}b" "account-1", call 00000a11, attempt 1, given back by session 00000002: not runnable
                          019b76da-a800-7000-8700-000000000a03  active       presence              2026-01-12T00:00:00.000000Z  repeating, scopes "account-1", last call failed at 2026-01-12T00:00:00.000000Z

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func jsonHasEverything() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun(
      "handlers", sample.path, "--format", "json", "--state", "invalidated", "--state", "active")
    #expect(
      run.output == #"""
        [
        {"created":{"position":18,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-11T00:00:00.000000Z"},"handlerKind":"presence","id":"019b76da-a800-7000-8700-000000000a02","invalidated":{"position":19,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-11T00:00:00.000000Z"},"invalidationReason":"a\u001b[2J\u000a\u202eb","repetition":"oneShot","scopes":["account-1"],"state":"invalidated"},
        {"arguments":{"image":{"typeTag":"bytes","valueInHex":"00ff"},"room":{"typeTag":"string","value":"\"a\u001b[2J\u000a\u202eb\""}},"created":{"position":16,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-11T00:00:00.000000Z"},"handlerKind":"a\u001b[2J\u000a\u202eb","handlers":["019b76da-a800-7000-8700-000000000a02"],"id":"8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f","key":"iq-1","label":"a\u001b[2J\u000a\u202eb","openCalls":[{"attempt":1,"call":"019b76da-a800-7000-8700-000000000a11","firstStart":{"position":17,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-11T00:00:00.000000Z"},"isRunning":false,"newestStart":{"position":17,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-11T00:00:00.000000Z"},"purpose":"call","release":"notRunnable"}],"promises":["4b207824-d62b-857b-9c9d-9f472a7161c9"],"repetition":"oneShot","scopes":["a\u001b[2J\u000a\u202eb","account-1"],"state":"active"},
        {"created":{"position":24,"session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-12T00:00:00.000000Z"},"handlerKind":"presence","id":"019b76da-a800-7000-8700-000000000a03","lastFinish":{"attempt":1,"call":"019b76da-a800-7000-8700-000000000a13","outcome":"failed","position":26,"purpose":"call","session":"019b76da-a800-7000-8700-000000000002","time":"2026-01-12T00:00:00.000000Z"},"repetition":"repeating","scopes":["account-1"],"state":"active"}
        ]

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test(arguments: [
    // What failed is there without being asked for.
    ([], "a06"), (["--limit", "0"], ""), (["--state", "failed"], "a06"), (["--kind", "none"], ""),
    (["--state", "active"], ""), (["--state", "finished"], "a01"),
    (["--state", "invalidated"], "a07 a06"),
    (["--state", "finished", "--state", "invalidated"], "a01 a07 a06"),
    (["--state", "invalidated", "--kind", "k"], "a07 a06"),
    (["--state", "invalidated", "--kind", "none"], ""),
    (["--state", "invalidated", "--kind", "none", "--kind", "k"], "a07 a06"),
    (["--state", "finished", "--scope", "account-1"], "a01"),
    (["--state", "finished", "--scope", "account-1", "--scope", "x"], ""),
    (["--state", "finished", "--scope", "account-1", "--kind", "k"], ""),
    (["--state", "invalidated", "--limit", "1"], "a07"),
    (["--state", "invalidated", "--limit", "0"], ""),
  ])
  func filtersMustAllFit(options: [String], ids: String) async throws {
    let sample = try await HandlerSampleLedger()
    let run = try CommandRun(["handlers", sample.path, "--format", "jsonl"] + options)
    let found = run.output.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"id":"019b76da-a800-7000-8700-000000000(a..)"/)?.1
    }
    #expect(found.joined(separator: " ") == ids)
    #expect(run.status == 0 && run.notes == "")
  }

  @Test func aRunningCallNamesItsSession() async throws {
    let temporary = try TemporaryLedger()
    var configuration = LedgerConfiguration()
    configuration.clock = ManualLedgerClock()
    configuration.idGenerator = SequentialIDGenerator(seed: 7)
    let app = try await temporary.open(as: .app, configuration: configuration)
    let handler = try HandlerKey("iq-1").handlerID
    let call = CallID(entityID: CompactedSampleLedger.id(0x11))
    _ = try await app.engine.submit(
      CreateHandler(
        id: handler, HandlerDescription(kind: "avatar", key: "iq-1"), arguments: .none))
    _ = try await app.engine.submit(
      StartCall(
        id: handler, call: call, arguments: .none, expectedBinding: nil, runnableKinds: ["avatar"]))
    let running = try CommandRun("handlers", temporary.path)
    #expect(
      running.output.hasSuffix(
        "  one-shot, call 00000a11, attempt 1, run by session 00000002, alive\n"))
    _ = try await app.engine.submit(
      ReleaseCall(id: handler, call: call, attempt: 1, reason: .cancelled))
    _ = try await app.engine.submit(RetryCall(id: handler, call: call, expectedAttempt: 1))
    let shown = try CommandRun("show", temporary.path, "--handler-key", "iq-1")
    let session = "by session 019b76da-a800-7000-8700-000000000002"
    #expect(
      shown.output.contains(
        """
        open call    call 019b76da-a800-7000-8700-000000000a11, attempt 2, begun 2026-01-01T00:00:00.000000Z at position 4 \(session)
        newest run   begun 2026-01-01T00:00:00.000000Z at position 6 \(session)
        its session  alive

        """))
    await app.close()
  }

  @Test func lifeOfAHandlerHasCausesAndEffects() async throws {
    let sample = try await HandlerSampleLedger()
    let run = try CommandRun("show", sample.path, "019b76da-a800-7000-8700-000000000a01")
    #expect(
      run.output == #"""
        handler     019b76da-a800-7000-8700-000000000a01
        state       finished
        kind        avatar\u{1B}
        repetition  one-shot
        key         iq-1
        label       Set the "avatar"
        scopes      "account-1"
        argument    erases image
        argument    room: "kitchen" (string)
        created     2026-01-01T00:00:00.000000Z at position 3 by session 019b76da-a800-7000-8700-000000000002
        last run    call 019b76da-a800-7000-8700-000000000a03, attempt 2, returned 2026-01-01T00:00:00.000000Z at position 8 by session 019b76da-a800-7000-8700-000000000002
        session     019b76da-a800-7000-8700-000000000002 is ended (app "default")

        relation  position  time                         kind                 subject   session   details
        own              3  2026-01-01T00:00:00.000000Z  handlerCreated       00000a01  00000002  "Set the \"avatar\"", key "iq-1", kind "avatar\u{1B}", one-shot, scopes "account-1", image: bytes 00ff (bytes), room: "kitchen" (string), refers to promise 00000a02, refers to handler 00000a09
        own              4  2026-01-01T00:00:00.000000Z  handlerRebound       00000a01  00000002  merged, erases image, room: "kitchen" (string)
        own              5  2026-01-01T00:00:00.000000Z  handlerCallStarted   00000a01  00000002  call 00000a03, attempt 1, arguments of 5019 bytes
        own              6  2026-01-01T00:00:00.000000Z  handlerCallReleased  00000a01  00000002  call 00000a03, attempt 1, not runnable
        own              7  2026-01-01T00:00:00.000000Z  handlerCallStarted   00000a01  00000002  call 00000a03, attempt 2
        own              8  2026-01-01T00:00:00.000000Z  handlerCallFinished  00000a01  00000002  call 00000a03, attempt 2, returned, type int, 42, fulfill promise 00000a02 not found

        """#)
    #expect(run.notes == "" && run.status == 0)
  }
}
