import PromiseLedger
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LogTests {
  @Test func tableShowsEveryEventInWords() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("log", sample.path)
    #expect(
      run.output == #"""
        position  time                         kind                 subject   session   details
               1  2026-01-01T00:00:00.000000Z  ledgerCreated        00000001  00000002  format version 1
               2  2026-01-01T00:00:00.000000Z  sessionOpened        00000002  00000002  app, process \#(sample.processID), instance "chat", host "\#(sample.host)", library 0.1.0
               3  2026-01-01T00:00:00.000000Z  promiseCreated       2a7161c9  00000002  "Remove the \"avatar\"", key "avatar/room@example.org", type void, tags "room" "avatar"
               4  2026-01-01T00:00:01.500000Z  promiseResolved      2a7161c9  00000002  rejected, chat 403 "\u{1B}[31mno\u{A}entry\u{202E}"
               5  2026-01-01T00:00:01.500000Z  promiseConsumed      2a7161c9  00000002  recorded after delivery
               6  2026-01-01T00:00:01.500000Z  promiseCreated       00000003  00000002  type bytes
               7  2026-01-01T00:00:01.500000Z  promiseResolved      00000003  00000002  fulfilled, bytes 00ff
               8  2026-01-01T00:00:01.500000Z  promiseCreated       00000004  00000002  type string, times out at 2026-01-01T00:01:01.500000Z
               9  2026-01-01T00:00:01.500000Z  promiseResolved      00000004  00000002  fulfilled, 5002 bytes, idempotency key "once"
              10  2026-01-01T00:00:01.500000Z  promiseCreated       00000005  00000002  type [string:string]
              11  2026-01-01T00:00:01.500000Z  promiseResolved      00000005  00000002  fulfilled, {"name":"Zoë"}
              12  2026-01-01T00:00:01.500000Z  promiseCreated       00000006  00000002  type int
              13  2026-01-01T00:00:01.500000Z  promiseResolved      00000006  00000002  cancelled, "the user left"
              14  2026-01-01T00:00:01.500000Z  promiseAbandoned     00000006  00000002  reason "not needed"
              15  2026-01-01T00:00:01.500000Z  sessionFrozen        00000002  00000002
              16  2026-01-01T00:00:01.500000Z  sessionUnfrozen      00000002  00000002  process \#(sample.processID)
              17  2026-01-01T00:00:01.500000Z  sessionClosed        00000002  00000002  closed

        """#)
    #expect(run.notes == "")
    #expect(run.status == 0)
  }

  @Test func jsonIsOneArrayWithSortedMembersAndWholeIDs() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("log", sample.path, "--format", "json", "--after", "2", "--limit", "3")
    #expect(
      run.output == #"""
        [
        {"details":{"idempotencyKey":"avatar/room@example.org","key":"avatar/room@example.org","label":"Remove the \"avatar\"","tags":["room","avatar"],"typeTag":"void"},"kind":"promiseCreated","position":3,"session":"019b76da-a800-7000-8700-000000000002","subject":"4b207824-d62b-857b-9c9d-9f472a7161c9","time":"2026-01-01T00:00:00.000000Z","version":1},
        {"details":{"error":{"code":403,"domain":"chat","message":"\u001b[31mno\u000aentry\u202e"},"outcome":"rejected","resolvedAt":"2026-01-01T00:00:01.500000Z"},"kind":"promiseResolved","position":4,"session":"019b76da-a800-7000-8700-000000000002","subject":"4b207824-d62b-857b-9c9d-9f472a7161c9","time":"2026-01-01T00:00:01.500000Z","version":1},
        {"cause":4,"details":{"delivery":"recordedAfter"},"kind":"promiseConsumed","position":5,"session":"019b76da-a800-7000-8700-000000000002","subject":"4b207824-d62b-857b-9c9d-9f472a7161c9","time":"2026-01-01T00:00:01.500000Z","version":1}
        ]

        """#)
    #expect(run.status == 0)
  }

  @Test func jsonlHasTheWantedKindsOneALine() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(
      "log", sample.path, "--format", "jsonl", "--kind", "promiseAbandoned", "--kind",
      "sessionClosed")
    #expect(
      run.output == #"""
        {"details":{"reason":"not needed"},"kind":"promiseAbandoned","position":14,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-addc-7000-8700-000000000006","time":"2026-01-01T00:00:01.500000Z","version":1}
        {"details":{"reason":"closed"},"kind":"sessionClosed","position":17,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000002","time":"2026-01-01T00:00:01.500000Z","version":1}

        """#)
    #expect(run.status == 0)
  }

  @Test(arguments: [17, .max] as [UInt64])
  func noEventIsStillJSON(position: UInt64) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("log", sample.path, "--format", "json", "--after", "\(position)")
    #expect(run.output == "[]\n")
    #expect(run.status == 0)
  }

  @Test(arguments: ["table", "json", "jsonl"])
  func closedPipeIsNoFailure(format: String) async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun(intoClosedPipe: "log", sample.path, "--format", format)
    #expect(run.notes == "")
    #expect(run.status == 0)
  }

  @Test func ledgerInUseCanBeRead() async throws {
    let sample = try await SampleLedger()
    let app = try await sample.open()
    let run = try CommandRun("log", sample.path, "--after", "17", "--kind", "sessionOpened")
    #expect(run.output.contains("app, process \(sample.processID)"))
    #expect(run.status == 0)
    await app.close()
  }

  @Test func readingWithoutLockShowsTheSame() async throws {
    let sample = try await SampleLedger()
    let run = try CommandRun("log", sample.path, "--without-lock")
    #expect(run.output == (try CommandRun("log", sample.path)).output)
    #expect(run.status == 0)
  }
}
