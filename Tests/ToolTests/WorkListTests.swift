import PromiseLedger
import Testing

/// `work`: exact output and exit code.
@Suite(.timeLimit(.minutes(10)))
struct WorkListTests {
  @Test func workIsListedByState() async throws {
    let sample = try await WorkSampleLedger()
    let time = try #require(try await sample.retryTime())
    let run = try CommandRun("work", sample.path)
    #expect(
      run.output == #"""
        name              id                                    state     kind                  since                        details
        "Publish 7"       019b76da-a800-7000-8700-000000000a02  waiting   publish               2026-01-01T00:00:00.000000Z  after promise 00000a01
                          019b76da-a800-7000-8700-000000000a03  waiting   mail                  2026-01-01T00:00:00.000000Z  at 2100-01-01T00:00:00.000000Z
                          019b76da-a800-7000-8700-000000000a04  running   mail                  2026-01-01T00:00:01.000000Z  attempt 1 in session 00000002, alive
                          019b76da-a800-7000-8700-000000000a05  retrying  mail                  2026-01-01T00:00:02.000000Z  at \#(time), 1 attempt, last error mail 550: no \u{1B}[31mmailbox
                          019b76da-a800-7000-8700-000000000a06  parked    mail                  2026-01-01T00:00:02.000000Z  1 attempt, last error mail 550: no \u{1B}[31mmailbox, priority 3
                          019b76da-a800-7000-8700-000000000a07  due       a\u{1B}[2J\u{A}b      2026-01-01T00:00:00.000000Z  lane "account/42"
                          019b76da-a800-7000-8700-000000000a08  due       mail                  2026-01-01T00:00:00.000000Z  lane "account/42"

        """#)
    #expect(run.notes == "" && run.status == 0)
    await sample.close()
  }

  @Test func workIsOrphanedWithoutASession() async throws {
    let sample = try await WorkSampleLedger()
    await sample.close()
    let run = try CommandRun("work", sample.path, "--state", "orphaned", "--kind", "mail")
    #expect(
      run.output == """
        name              id                                    state     kind                  since                        details
                          019b76da-a800-7000-8700-000000000a04  orphaned  mail                  2026-01-01T00:00:02.000000Z  1 attempt
                          019b76da-a800-7000-8700-000000000a08  orphaned  mail                  2026-01-01T00:00:00.000000Z  lane "account/42"

        """)
    #expect(run.notes == "" && run.status == 0)
    #expect(try ids(in: CommandRun("work", sample.path, "--state", "due")) == [])
  }

  @Test func kindsAreCounted() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("work", sample.path, "--by-kind")
    #expect(
      run.output == #"""
        kind                       due   waiting   running  retrying    parked  orphaned  oldest
        a\u{1B}[2J\u{A}b             1         0         0         0         0         0  2026-01-01T00:00:00.000000Z
        mail                         1         1         1         1         1         0  2026-01-01T00:00:00.000000Z
        publish                      0         1         0         0         0         0  2026-01-01T00:00:00.000000Z

        """#)
    #expect(run.notes == "" && run.status == 0)
    let json = try CommandRun(
      "work", sample.path, "--by-kind", "--kind", "publish", "--format", "json")
    #expect(
      json.output == """
        [
        {"due":0,"handlerKind":"publish","oldest":"2026-01-01T00:00:00.000000Z","orphaned":0,"parked":0,"retrying":0,"running":0,"waiting":1}
        ]

        """)
    let first = try CommandRun(
      "work", sample.path, "--by-kind", "--limit", "1", "--format", "jsonl")
    #expect(first.output.hasPrefix(#"{"due":1,"handlerKind":"a\u001b"#))
    #expect(first.output.split(separator: "\n").count == 1)
    await sample.close()
  }

  @Test func jsonHasEverything() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun(
      "work", sample.path, "--format", "jsonl", "--state", "running", "--state", "waiting",
      "--kind", "mail", "--kind", "publish")
    let session = #""session":"019b76da-a800-7000-8700-000000000002""#
    #expect(
      run.output == #"""
        {"attempts":0,"awaitedPromise":"019b76da-a800-7000-8700-000000000a01","created":{"position":4,\#(session),"time":"2026-01-01T00:00:00.000000Z"},"creatorInstance":"shop","handlerKind":"publish","id":"019b76da-a800-7000-8700-000000000a02","label":"Publish 7","settlement":"fulfilled","since":"2026-01-01T00:00:00.000000Z","state":"pending","typeTag":"int","workState":"waiting"}
        {"attempts":0,"created":{"position":5,\#(session),"time":"2026-01-01T00:00:00.000000Z"},"creatorInstance":"shop","dueTime":"2100-01-01T00:00:00.000000Z","handlerKind":"mail","id":"019b76da-a800-7000-8700-000000000a03","since":"2026-01-01T00:00:00.000000Z","state":"pending","typeTag":"int","workState":"waiting"}
        {"attempts":1,"created":{"position":6,\#(session),"time":"2026-01-01T00:00:00.000000Z"},"creatorInstance":"shop","handlerKind":"mail","id":"019b76da-a800-7000-8700-000000000a04","presence":"alive","runningSession":"019b76da-a800-7000-8700-000000000002","since":"2026-01-01T00:00:01.000000Z","state":"pending","typeTag":"int","workState":"running"}

        """#)
    #expect(run.notes == "" && run.status == 0)
    await sample.close()
  }

  @Test(arguments: [
    ([], "234 5678"), (["--state", "parked"], "6"), (["--state", "retrying"], "5"),
    (["--kind", "publish"], "2"), (["--kind", "publish", "--kind", "none"], "2"),
    (["--kind", "none"], ""), (["--state", "parked", "--state", "running"], "46"),
    (["--state", "parked", "--kind", "publish"], ""), (["--limit", "2"], "23"),
    (["--limit", "0"], ""),
  ])
  func filtersMustAllFit(options: [String], numbers: String) async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun(["work", sample.path, "--format", "jsonl"] + options)
    #expect(try ids(in: run) == numbers.filter { $0 != " " }.map { "a0\($0)" })
    #expect(run.status == 0 && run.notes == "")
    await sample.close()
  }

  private func ids(in run: CommandRun) throws -> [String] {
    run.output.matches(of: /(?:^|\n|"id":")019b76da-a800-7000-8700-000000000(a..)/).map {
      String($0.1)
    }
  }

  @Test func aCompactedLedgerHasTheSameWork() async throws {
    let sample = try await WorkSampleLedger()
    await sample.close()
    let before = try CommandRun("work", sample.path)
    let compaction = try CommandRun("compact", sample.path, "--apply", "--fold-only")
    #expect(compaction.status == 0, "\(compaction.notes)")
    #expect(try CommandRun("work", sample.path).output == before.output)
  }

  @Test(arguments: [["--state", "done"], ["--limit=-1"], ["--kind"]])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["work", "/nowhere"] + options)
    #expect(run.status == 2 && run.output == "")
  }

  @Test func statsCountPendingWork() async throws {
    let sample = try await WorkSampleLedger()
    let run = try CommandRun("stats", sample.path)
    #expect(run.output.contains("\npromises pending    8\n"))
    await sample.close()
  }
}
