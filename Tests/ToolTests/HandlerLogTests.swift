import Testing

@Suite(.timeLimit(.minutes(10)))
struct HandlerLogTests {
  @Test func tableShowsEveryHandlerEventInWords() async throws {
    let sample = try await HandlerSampleLedger()
    let run = try CommandRun("log", sample.path, "--after", "2", "--limit", "12")
    #expect(
      run.output == #"""
        position  time                         kind                 subject   session   details
               3  2026-01-01T00:00:00.000000Z  handlerCreated       00000a01  00000002  "Set the \"avatar\"", key "iq-1", kind "avatar\u{1B}", one-shot, scopes "account-1", image: bytes 00ff (bytes), room: "kitchen" (string), refers to promise 00000a02, refers to handler 00000a09
               4  2026-01-01T00:00:00.000000Z  handlerRebound       00000a01  00000002  merged, erases image, room: "kitchen" (string)
               5  2026-01-01T00:00:00.000000Z  handlerCallStarted   00000a01  00000002  call 00000a03, attempt 1, arguments of 5019 bytes
               6  2026-01-01T00:00:00.000000Z  handlerCallReleased  00000a01  00000002  call 00000a03, attempt 1, not runnable
               7  2026-01-01T00:00:00.000000Z  handlerCallStarted   00000a01  00000002  call 00000a03, attempt 2
               8  2026-01-01T00:00:00.000000Z  handlerCallFinished  00000a01  00000002  call 00000a03, attempt 2, returned, type int, 42, fulfill promise 00000a02 not found
               9  2026-01-01T00:00:00.000000Z  handlerCreated       00000a06  00000002  kind "k", repeating
              10  2026-01-01T00:00:00.000000Z  handlerInvalidated   00000a06  00000002  reason "left\u{A}the room", call 00000a05, attempt 1
              11  2026-01-01T00:00:00.000000Z  handlerCreated       00000a07  00000002  kind "k", repeating
              12  2026-01-01T00:00:00.000000Z  handlerInvalidated   00000a07  00000002  no code runs
              13  2026-01-01T00:00:00.000000Z  handlerInvalidationFinished  00000a06  00000002  call 00000a05, attempt 1, failed, net 7 "offline"
              14  2026-01-01T00:00:00.000000Z  sessionClosed        00000002  00000002  closed

        """#)
    #expect(run.notes == "")
    #expect(run.status == 0)
  }

  @Test func jsonHasArgumentsEffectsAndWholeIDs() async throws {
    let sample = try await HandlerSampleLedger()
    let run = try CommandRun(
      "log", sample.path, "--format", "jsonl", "--after", "2", "--limit", "12")
    #expect(
      run.output == #"""
        {"details":{"arguments":{"image":{"typeTag":"bytes","valueInHex":"00ff"},"room":{"typeTag":"string","value":"\"kitchen\""}},"handlerKind":"avatar\u001b","handlers":["019b76da-a800-7000-8700-000000000a09"],"key":"iq-1","label":"Set the \"avatar\"","promises":["019b76da-a800-7000-8700-000000000a02"],"repetition":"oneShot","scopes":["account-1"]},"kind":"handlerCreated","position":3,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"arguments":{"image":{"isErased":true},"room":{"typeTag":"string","value":"\"kitchen\""}},"mode":"merged"},"kind":"handlerRebound","position":4,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"argumentsByteCount":5019,"attempt":1,"call":"019b76da-a800-7000-8700-000000000a03"},"kind":"handlerCallStarted","position":5,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"attempt":1,"call":"019b76da-a800-7000-8700-000000000a03","reason":"notRunnable"},"kind":"handlerCallReleased","position":6,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"cause":5,"details":{"attempt":2,"call":"019b76da-a800-7000-8700-000000000a03"},"kind":"handlerCallStarted","position":7,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"cause":7,"details":{"attempt":2,"call":"019b76da-a800-7000-8700-000000000a03","effects":[{"effect":"fulfillPromise","subject":"019b76da-a800-7000-8700-000000000a02","verdict":"notFound"}],"outcome":"returned","typeTag":"int","value":"42"},"kind":"handlerCallFinished","position":8,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a01","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"handlerKind":"k","repetition":"repeating"},"kind":"handlerCreated","position":9,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a06","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"attempt":1,"call":"019b76da-a800-7000-8700-000000000a05","reason":"left\u000athe room","runsCode":true},"kind":"handlerInvalidated","position":10,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a06","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"handlerKind":"k","repetition":"repeating"},"kind":"handlerCreated","position":11,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a07","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"runsCode":false},"kind":"handlerInvalidated","position":12,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a07","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"cause":10,"details":{"attempt":1,"call":"019b76da-a800-7000-8700-000000000a05","error":{"code":7,"domain":"net","message":"offline"},"outcome":"failed"},"kind":"handlerInvalidationFinished","position":13,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000a06","time":"2026-01-01T00:00:00.000000Z","version":1}
        {"details":{"reason":"closed"},"kind":"sessionClosed","position":14,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000002","time":"2026-01-01T00:00:00.000000Z","version":1}

        """#)
    #expect(run.status == 0)
  }
}
