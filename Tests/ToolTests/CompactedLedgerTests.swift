import Foundation
import PromiseLedger
import PromiseLedgerTesting
import Testing

/// The reading verbs on a ledger of which events and records are gone.
@Suite(.timeLimit(.minutes(10)))
struct CompactedLedgerTests {
  private static let note = "promise-ledger: Events up to position 19 were deleted by compaction.\n"

  @Test func logBeginsAfterDeletedEventsAndSaysSo() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("log", sample.path)
    let state = sample.report.stateDigest.description.prefix(8)
    let log = sample.report.logDigest.description.prefix(8)
    let deleted = try #require(try sample.deletion)
    #expect(
      run.output == #"""
        position  time                         kind                 subject   session   details
              20  2026-01-12T00:00:00.000000Z  retentionApplied     00000001  00000002  records removed 3, ended after position 0 up to 11, by 2026-01-01T00:00:00.000000Z, kept 00000a02
              21  2026-01-12T00:00:00.000000Z  snapshotTaken        00000001  00000002  snapshot at position 20, records 5, state digest \#(state)..., log digest \#(log)...
              22  2026-01-12T00:00:00.000000Z  eventsCompacted      00000001  00000002  events deleted 19, up to position 19, bytes \#(deleted.byteCountBefore) before, \#(deleted.byteCountAfter) after
              23  2026-01-12T00:00:00.000000Z  handlerCallReleased  b0c3605f  00000002  call 00000a11, attempt 1, not runnable
              24  2026-01-12T00:00:00.000000Z  handlerCreated       00000a03  00000002  kind "presence", repeating, scopes "account-1"
              25  2026-01-12T00:00:00.000000Z  handlerCallStarted   00000a03  00000002  call 00000a13, attempt 1
              26  2026-01-12T00:00:00.000000Z  handlerCallFinished  00000a03  00000002  call 00000a13, attempt 1, failed, a\u{1B}[2J\u{A}\u{202E}b 7 "a\u{1B}[2J\u{A}\u{202E}b"
              27  2026-01-12T00:00:00.000000Z  sessionClosed        00000002  00000002  closed

        """#)
    #expect(run.notes == Self.note)
    #expect(run.status == 0)
    let part = try CommandRun("log", sample.path, "--after", "7", "--through", "12")
    #expect(part.output.split(separator: "\n").count == 1)
    #expect(part.notes == Self.note && part.status == 0)
    let rest = try CommandRun("log", sample.path, "--after", "19", "--limit", "1")
    #expect(rest.output.split(separator: "\n").count == 2)
    #expect(rest.notes == "" && rest.status == 0)
  }

  @Test func logHasCompactionInJSON() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun(
      "log", sample.path, "--format", "jsonl", "--through", "22", "--after", "19")
    let deleted = try #require(try sample.deletion)
    #expect(
      run.output == #"""
        {"details":{"after":0,"horizon":11,"kept":["019b76da-a800-7000-8700-000000000a02"],"newestTime":"2026-01-01T00:00:00.000000Z","removedCount":3},"kind":"retentionApplied","position":20,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000001","time":"2026-01-12T00:00:00.000000Z","version":1}
        {"details":{"logDigest":"\#(sample.report.logDigest)","recordCount":5,"snapshotPosition":20,"stateDigest":"\#(sample.report.stateDigest)"},"kind":"snapshotTaken","position":21,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000001","time":"2026-01-12T00:00:00.000000Z","version":1}
        {"details":{"byteCountAfter":\#(deleted.byteCountAfter),"byteCountBefore":\#(deleted.byteCountBefore),"eventCount":19,"isArchived":false,"through":19},"kind":"eventsCompacted","position":22,"session":"019b76da-a800-7000-8700-000000000002","subject":"019b76da-a800-7000-8700-000000000001","time":"2026-01-12T00:00:00.000000Z","version":1}

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  // MARK: show

  @Test func showHasTheRecordAndTheEventsThatAreLeft() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("show", sample.path, "--handler-key", "iq-1")
    #expect(
      run.output == #"""
        handler     8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f
        state       active
        kind        a\u{1B}[2J\u{A}\u{202E}b
        repetition  one-shot
        key         iq-1
        label       a\u{1B}[2J\u{A}\u{202E}b
        scopes      "a\u{1B}[2J\u{A}\u{202E}b" "account-1"
        argument    image: bytes 00ff (bytes)
        argument    room: "a\u{1B}[2J\u{A}\u{202E}b" (string)
        refers to   promise 4b207824-d62b-857b-9c9d-9f472a7161c9
        refers to   handler 019b76da-a800-7000-8700-000000000a02
        created     2026-01-11T00:00:00.000000Z at position 16 by session 019b76da-a800-7000-8700-000000000002
        open call   call 019b76da-a800-7000-8700-000000000a11, attempt 1, begun 2026-01-11T00:00:00.000000Z at position 17 by session 019b76da-a800-7000-8700-000000000002
        given back  not runnable
        session     019b76da-a800-7000-8700-000000000002 is ended (app "default")

        relation  position  time                         kind                 subject   session   details
        own             23  2026-01-12T00:00:00.000000Z  handlerCallReleased  b0c3605f  00000002  call 00000a11, attempt 1, not runnable

        """#)
    #expect(run.notes == Self.note && run.status == 0)
    let byID = try CommandRun("show", sample.path, "8ecd")
    #expect(byID.output == run.output)
  }

  @Test func showHasASession() async throws {
    let sample = try await CompactedSampleLedger()
    // Promises and handlers begin so, too, but not with that much.
    let run = try CommandRun(
      "show", sample.path, "019b76da-a800-7000-8700-00000000000", "--format", "jsonl")
    let process = ProcessInfo.processInfo.processIdentifier
    let lines = run.output.split(separator: "\n")
    let first = try #require(lines.first)
    #expect(first.hasPrefix(#"{"host":""#))
    #expect(
      first.hasSuffix(
        #","id":"019b76da-a800-7000-8700-000000000002","instance":"default","lastEvent":{"position":27,"time":"2026-01-12T00:00:00.000000Z"},"libraryVersion":"0.1.0","openedAt":"2026-01-01T00:00:00.000000Z","processID":\#(process),"reason":"closed","role":"app","state":"ended"}"#
      ))
    #expect(lines.count == 2)
    #expect(run.status == 0)
  }

  @Test func showReportsRemovedRecords() async throws {
    let sample = try await CompactedSampleLedger()
    let removed = """
      ended, and a compaction removed its record. It cannot come back; use another key.

      """
    let cases = [
      (["--key", "gone"], "recordRemoved: fca6aa10-6fae-8e7f-a993-ad094c7c67f8 \(removed)"),
      (
        ["fca6aa10-6fae-8e7f-a993-ad094c7c67f8"],
        "recordRemoved: fca6aa10-6fae-8e7f-a993-ad094c7c67f8 \(removed)"
      ),
      (
        ["--handler-key", "iq-gone"],
        "recordRemoved: 236e24af-82f9-8da7-b7b4-972d5473b44c \(removed)"
      ),
      (
        ["\(sample.removedPromise)"],
        "notFound: There is no promise, handler or session \(sample.removedPromise). Records of what ended before 2026-01-01T00:00:00.000000Z were removed; the id is older than that.\n"
      ),
      (
        ["ffffffff-ffff-7fff-bfff-ffffffffffff"],
        "notFound: There is no promise, handler or session ffffffff-ffff-7fff-bfff-ffffffffffff. Check the id.\n"
      ),
      (
        ["ffff"],
        "There is no promise, session or handler named ffff: none has it as its key, or as the beginning or the end of its id. To see why a removed record is missing, give its whole id or its key.\n"
      ),
    ]
    for (name, note) in cases {
      let run = try CommandRun(["show", sample.path] + name)
      #expect(run.notes == "promise-ledger: \(note)", "\(name)")
      #expect(run.output == "", "\(name)")
      #expect(run.status == 3, "\(name)")
    }
    let several = try CommandRun("show", sample.path, "019b")
    #expect(
      several.notes == """
        promise-ledger: Several have the name 019b: handler 019b76da-a800-7000-8700-000000000a02, handler 019b76da-a800-7000-8700-000000000a03, promise 019baa5a-4000-7000-8700-000000000004. Give more of the id, or a whole key with --key or --handler-key.

        """)
    #expect(several.status == 3)
  }

  // MARK: The others

  @Test func promisesAreThere() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("promises", sample.path)
    #expect(
      run.output == #"""
        name              id                                    state      outcome    created                      details
        avatar/room@example.org  4b207824-d62b-857b-9c9d-9f472a7161c9  resolved   rejected   2026-01-11T00:00:00.000000Z  stale, error a\u{1B}[2J\u{A}\u{202E}b 403: a\u{1B}[2J\u{A}\u{202E}b, type void
                          019baa5a-4000-7000-8700-000000000004  resolved   fulfilled  2026-01-11T00:00:00.000000Z  stale, type string

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func statsCountTheRemainingRecords() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("stats", sample.path)
    let lines = run.output.split(separator: "\n").prefix { !$0.hasPrefix("file bytes") }
    #expect(
      lines.joined(separator: "\n") == """
        ledger                 019b76da-a800-7000-8700-000000000001
        format version         1
        created                2026-01-01T00:00:00.000000Z
        head                   27
        snapshot               20
        deleted through        19
        first event            2026-01-12T00:00:00.000000Z
        last event             2026-01-12T00:00:00.000000Z
        newest time            2026-01-12T00:00:00.000000Z
        commits                8
        frames                 8
        frame bytes            1112
        large values           0
        large value bytes      0
        events                 8
          sessionClosed        1
          handlerCreated       1
          handlerCallStarted   1
          handlerCallReleased  1
          handlerCallFinished  1
          snapshotTaken        1
          retentionApplied     1
          eventsCompacted      1
        promises pending       0
        promises resolved      2
        promises consumed      0
        promises abandoned     0
        handlers open          2
        handlers closed        1
        sessions               1
        sessions not ended     0
        """)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func verifyFindsNothing() async throws {
    let sample = try await CompactedSampleLedger()
    let run = try CommandRun("verify", sample.path)
    #expect(run.output == "")
    #expect(
      run.notes == "promise-ledger: Nothing found. Checked: 8 events in 8 frames, 1 large values.\n"
    )
    #expect(run.status == 0)
  }

  @Test func digestHasTheStateAsFarAsItCanBeRebuilt() async throws {
    let sample = try await CompactedSampleLedger()
    let inspector = try BlockingInspector(at: sample.path)
    let run = try CommandRun("digest", sample.path)
    #expect(
      run.output == """
        ledger        019b76da-a800-7000-8700-000000000001
        position      27
        log digest    \(try inspector.logDigest())
        state digest  \(try inspector.replay().digest())

        """)
    #expect(run.notes == "" && run.status == 0)
    let snapshot = try CommandRun("digest", sample.path, "--through", "20", "--format", "json")
    #expect(
      snapshot.output == """
        {"ledger":"019b76da-a800-7000-8700-000000000001","logDigest":"\(sample.report.logDigest)","position":20,"stateDigest":"\(sample.report.stateDigest)"}

        """)
    let between = try CommandRun("digest", sample.path, "--through", "19")
    #expect(
      between.output == """
        ledger      019b76da-a800-7000-8700-000000000001
        position    19
        log digest  \(try inspector.logDigest(through: Position(rawValue: 19)))

        """)
    #expect(between.notes == "" && between.status == 0)
    let gone = try CommandRun("digest", sample.path, "--through", "3")
    #expect(gone.output == "" && gone.status == 3)
    #expect(gone.notes.hasPrefix("promise-ledger: eventsDeleted: The events after position 3 "))
  }
}

extension CompactedSampleLedger {
  /// The event that events were deleted.
  var deletion: EventsDeleted? {
    get throws {
      try BlockingInspector(at: path).events(after: Position(rawValue: 19)).lazy
        .compactMap { try? $0.decode(as: EventsDeleted.self) }.first
    }
  }
}
