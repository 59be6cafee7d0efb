import PromiseLedger
import Testing

/// `trace`: exact output and exit code.
@Suite(.timeLimit(.minutes(10)))
struct TraceCommandTests {
  /// An order that waits for days, and fails and dies on the way.
  private static func sample() async throws -> WorkHistoryLedger {
    let ledger = try await WorkHistoryLedger()
    let day = 86_400.0
    try ledger.create(1, "fulfil-order", label: "Order 7")
    try ledger.add(WorkStarted(attempt: 1), at: 0.5)
    try ledger.step(StepIdentity("charge"), 1, from: 0.5, to: 1.5, "\"receipt 9\"")
    try ledger.step(
      StepIdentity("reserve a place in the truck", .key("7")), 1, from: 1, to: 2.25, "")
    let error = StoredError(domain: "truck", code: 3, message: "no \u{1B}[31mdriver")
    try ledger.add(
      WorkReleased(
        attempt: 1, reason: .waiting,
        condition: WorkCondition(
          time: WorkHistoryLedger.time(day), promises: [WorkHistoryLedger.promise(2)]),
        awaited: [WorkHistoryLedger.promise(2)],
        stepFailures: [.init(StepIdentity("ship"), count: 2)], error: error), at: 2.5)
    try ledger.add(WorkStarted(attempt: 2), at: 3 * day, by: 0xA2)
    try ledger.step(
      StepIdentity("ship"), 2, from: 3 * day, to: 3 * day + 1, "1", failures: 3, by: 0xA2)
    try ledger.add(WorkReleased(attempt: 2, reason: .died), at: 3 * day + 3_600)
    try ledger.add(WorkStarted(attempt: 3), at: 3 * day + 3_600.1, by: 0xA3)
    try ledger.add(WorkCancelRequested(reason: "wrong\naddress"), at: 3 * day + 3_601, by: 0xA4)
    try ledger.add(
      WorkStarted(attempt: 4), at: 3 * day + 7_200, by: 0xA4)
    try ledger.add(
      WorkStepFinished(
        attempt: 4, step: StepIdentity("refund"), outcome: .failure,
        startedAt: WorkHistoryLedger.time(3 * day + 7_200), result: error.encoded),
      at: 3 * day + 7_200.5, by: 0xA4)
    try ledger.settle(byAttempt: 4, .rejected, error.encoded, at: 3 * day + 7_201, by: 0xA4)
    return ledger
  }

  private static func trace(
    _ ledger: WorkHistoryLedger, _ options: String...
  ) throws -> CommandRun {
    try CommandRun(["trace", ledger.path, WorkHistoryLedger.id(1).description] + options)
  }

  @Test func aHistoryIsDrawn() async throws {
    let ledger = try await Self.sample()
    let run = try Self.trace(ledger)
    #expect(
      run.output == #"""
        promise  019b76da-a800-7000-8700-000000000a01
        state    resolved
        label    Order 7
        kind     fulfil-order
        created  2100-01-01T00:00:00.000000Z

          start       length  what
            0 s       500 ms  queued                ┄┄
         500 ms          2 s  attempt 1               ━━━━━━━━━━
                                session 00000aa1, waiting, truck 3: no \u{1B}[31mdriver
         500 ms          1 s    charge                █████
                                  value "receipt 9"
            1 s        1.2 s    reserve a place i…      ███████
          2.5 s     2 d 23 h  wait                             ┄┄ 2.9 d ┄┄┄
                                at 2100-01-02T00:00:00.000000Z, after promise 00000a02, step "ship" failed 2 times
            3 d          1 h  attempt 2                                   ━━━━━┄×
                                session 00000aa2, died
            3 d          1 s    ship                                      █████
                                  value 1, after 3 failures
        3 d 1 h       100 ms  released                                          ┄┄
                                died
        3 d 1 h  59 min 59 s  attempt 3                                          ━┄×
                                session 00000aa3, taken over by session 00000aa4
        3 d 1 h               cancel request                                     ◆
                                reason "wrong\u{A}address"
        3 d 2 h          1 s  attempt 4                                            ━━━━×
                                session 00000aa4, takes over, rejected
        3 d 2 h       500 ms    refund                                             ██×
                                  failed, truck 3: no \u{1B}[31mdriver
        3 d 2 h               settlement                                               ◆
                                rejected, truck 3: no \u{1B}[31mdriver

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  @Test func aWideHistoryInASCIIIsDrawn() async throws {
    let ledger = try await Self.sample()
    let wide = try Self.trace(ledger, "--width", "120", "--ascii")
    #expect(
      wide.output == #"""
        promise  019b76da-a800-7000-8700-000000000a01
        state    resolved
        label    Order 7
        kind     fulfil-order
        created  2100-01-01T00:00:00.000000Z

          start       length  what
            0 s       500 ms  queued                    ..
         500 ms          2 s  attempt 1                   ================
                                session 00000aa1, waiting, truck 3: no \u{1B}[31mdriver
         500 ms          1 s    charge                    ########
                                  value "receipt 9"
            1 s        1.2 s    reserve a place in t..       ###########
          2.5 s     2 d 23 h  wait                                       .. 2.9 d ...
                                at 2100-01-02T00:00:00.000000Z, after promise 00000a02, step "ship" failed 2 times
            3 d          1 h  attempt 2                                             =======.. 59.9 min ..x
                                session 00000aa2, died
            3 d          1 s    ship                                                ########
                                  value 1, after 3 failures
        3 d 1 h       100 ms  released                                                                   ..
                                died
        3 d 1 h  59 min 59 s  attempt 3                                                                   .. 59.9 min ..x
                                session 00000aa3, taken over by session 00000aa4
        3 d 1 h               cancel request                                                              *
                                reason "wrong\u{A}address"
        3 d 2 h          1 s  attempt 4                                                                                 =======x
                                session 00000aa4, takes over, rejected
        3 d 2 h       500 ms    refund                                                                                  ####x
                                  failed, truck 3: no \u{1B}[31mdriver
        3 d 2 h               settlement                                                                                       *
                                rejected, truck 3: no \u{1B}[31mdriver

        """#)
  }

  @Test func aNarrowHistoryIsDrawn() async throws {
    let ledger = try await Self.sample()
    let narrow = try Self.trace(ledger, "--width", "40")
    #expect(
      narrow.output == #"""
        promise  019b76da-a800-7000-8700-000000000a01
        state    resolved
        label    Order 7
        kind     fulfil-order
        created  2100-01-01T00:00:00.000000Z

          start       length  what
            0 s       500 ms  queued      ┄
         500 ms          2 s  attempt 1    ━━
                                session 00000aa1, waiting, truck 3: no \u{1B}[31mdriver
         500 ms          1 s    charge     █
                                  value "receipt 9"
            1 s        1.2 s    reserve…   ██
          2.5 s     2 d 23 h  wait          ┄┄
                                at 2100-01-02T00:00:00.000000Z, after promise 00000a02, step "ship" failed 2 times
            3 d          1 h  attempt 2      ━━×
                                session 00000aa2, died
            3 d          1 s    ship         ██
                                  value 1, after 3 failures
        3 d 1 h       100 ms  released         ┄┄
                                died
        3 d 1 h  59 min 59 s  attempt 3         ━×
                                session 00000aa3, taken over by session 00000aa4
        3 d 1 h               cancel re…        ◆
                                reason "wrong\u{A}address"
        3 d 2 h          1 s  attempt 4          ×
                                session 00000aa4, takes over, rejected
        3 d 2 h       500 ms    refund           ×
                                  failed, truck 3: no \u{1B}[31mdriver
        3 d 2 h               settlement         ◆
                                rejected, truck 3: no \u{1B}[31mdriver

        """#)
  }

  @Test func jsonHasEverything() async throws {
    let ledger = try await Self.sample()
    let run = try Self.trace(ledger, "--format", "jsonl")
    #expect(
      run.output == #"""
        {"attempts":4,"cancelReason":"wrong\u000aaddress","created":{"position":4,"session":"019b76da-a800-7000-8700-000000000aa1","time":"2100-01-01T00:00:00.000000Z"},"error":{"code":3,"domain":"truck","message":"no \u001b[31mdriver"},"handlerKind":"fulfil-order","id":"019b76da-a800-7000-8700-000000000a01","label":"Order 7","outcome":"rejected","resolved":{"position":16,"session":"019b76da-a800-7000-8700-000000000aa4","time":"2100-01-04T02:00:01.000000Z"},"state":"resolved","typeTag":"int"}
        {"duration":"0.5 seconds","end":"2100-01-01T00:00:00.500000Z","offset":"0.0 seconds","position":4,"session":"019b76da-a800-7000-8700-000000000aa1","span":"queued","start":"2100-01-01T00:00:00.000000Z"}
        {"attempt":1,"duration":"2.0 seconds","end":"2100-01-01T00:00:02.500000Z","error":{"code":3,"domain":"truck","message":"no \u001b[31mdriver"},"failureCount":0,"lastSign":"2100-01-01T00:00:02.500000Z","offset":"0.5 seconds","position":5,"reason":"waiting","session":"019b76da-a800-7000-8700-000000000aa1","span":"attempt","start":"2100-01-01T00:00:00.500000Z"}
        {"attempt":1,"duration":"1.0 seconds","end":"2100-01-01T00:00:01.500000Z","failureCount":0,"offset":"0.5 seconds","outcome":"value","position":6,"session":"019b76da-a800-7000-8700-000000000aa1","span":"step","start":"2100-01-01T00:00:00.500000Z","step":"charge","typeTag":"string","value":"\"receipt 9\""}
        {"attempt":1,"duration":"1.25 seconds","end":"2100-01-01T00:00:02.250000Z","failureCount":0,"offset":"1.0 seconds","outcome":"value","position":7,"session":"019b76da-a800-7000-8700-000000000aa1","span":"step","start":"2100-01-01T00:00:01.000000Z","step":"reserve a place in the truck[7]","typeTag":"string","value":""}
        {"attempt":1,"awaited":["019b76da-a800-7000-8700-000000000a02"],"awaitedPromises":["019b76da-a800-7000-8700-000000000a02"],"dueTime":"2100-01-02T00:00:00.000000Z","duration":"259197.5 seconds","end":"2100-01-04T00:00:00.000000Z","offset":"2.5 seconds","position":8,"reason":"waiting","session":"019b76da-a800-7000-8700-000000000aa1","span":"wait","start":"2100-01-01T00:00:02.500000Z","stepFailures":{"ship":2}}
        {"attempt":2,"duration":"3600.0 seconds","end":"2100-01-04T01:00:00.000000Z","failureCount":0,"lastSign":"2100-01-04T00:00:01.000000Z","offset":"259200.0 seconds","position":9,"reason":"died","session":"019b76da-a800-7000-8700-000000000aa2","span":"attempt","start":"2100-01-04T00:00:00.000000Z"}
        {"attempt":2,"duration":"1.0 seconds","end":"2100-01-04T00:00:01.000000Z","failureCount":3,"offset":"259200.0 seconds","outcome":"value","position":10,"session":"019b76da-a800-7000-8700-000000000aa2","span":"step","start":"2100-01-04T00:00:00.000000Z","step":"ship","typeTag":"string","value":"1"}
        {"attempt":2,"duration":"0.1 seconds","end":"2100-01-04T01:00:00.100000Z","offset":"262800.0 seconds","position":11,"reason":"died","session":"019b76da-a800-7000-8700-000000000aa1","span":"released","start":"2100-01-04T01:00:00.000000Z"}
        {"attempt":3,"duration":"3599.9 seconds","end":"2100-01-04T02:00:00.000000Z","lastSign":"2100-01-04T01:00:00.100000Z","offset":"262800.1 seconds","position":12,"session":"019b76da-a800-7000-8700-000000000aa3","span":"attempt","start":"2100-01-04T01:00:00.100000Z","takenOverBy":"019b76da-a800-7000-8700-000000000aa4"}
        {"offset":"262801.0 seconds","position":13,"reason":"wrong\u000aaddress","session":"019b76da-a800-7000-8700-000000000aa4","span":"cancelRequest","start":"2100-01-04T01:00:01.000000Z"}
        {"attempt":4,"duration":"1.0 seconds","end":"2100-01-04T02:00:01.000000Z","isByCode":true,"lastSign":"2100-01-04T02:00:01.000000Z","offset":"266400.0 seconds","outcome":"rejected","position":14,"session":"019b76da-a800-7000-8700-000000000aa4","span":"attempt","start":"2100-01-04T02:00:00.000000Z","tookOver":true}
        {"attempt":4,"duration":"0.5 seconds","end":"2100-01-04T02:00:00.500000Z","error":{"code":3,"domain":"truck","message":"no \u001b[31mdriver"},"failureCount":0,"offset":"266400.0 seconds","outcome":"failure","position":15,"session":"019b76da-a800-7000-8700-000000000aa4","span":"step","start":"2100-01-04T02:00:00.000000Z","step":"refund"}
        {"error":{"code":3,"domain":"truck","message":"no \u001b[31mdriver"},"offset":"266401.0 seconds","outcome":"rejected","position":16,"session":"019b76da-a800-7000-8700-000000000aa4","span":"settlement","start":"2100-01-04T02:00:01.000000Z"}

        """#)
    #expect(run.notes == "" && run.status == 0)
    #expect(try Self.trace(ledger, "--format", "json").output.hasPrefix("[\n{\"attempts\":4,"))
  }

  @Test func pendingWorkIsDrawn() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.create(1, "mail", .at(WorkHistoryLedger.time(60)))
    try ledger.add(WorkAmended(parking: .parked), at: 5)
    try ledger.add(WorkAmended(parking: .resumed, trigger: .now), at: 6)
    try ledger.add(WorkStarted(attempt: 1), at: 10)
    try ledger.add(
      WorkReleased(
        attempt: 1, reason: .retrying, failureCount: 2, retryTime: WorkHistoryLedger.time(12),
        error: StoredError(domain: "mail", code: 550, message: "no mailbox")), at: 11)
    try ledger.add(WorkStarted(attempt: 2), at: 12)
    try ledger.add(
      WorkStepFinished(
        attempt: 2, step: StepIdentity("sleep"), outcome: .value,
        startedAt: WorkHistoryLedger.time(12.5), typeTag: WorkStepFinished.pauseTypeTag,
        result: WorkStepFinished.encoded(endOfPause: WorkHistoryLedger.time(60))), at: 12.5)
    try ledger.add(
      WorkReleased(
        attempt: 2, reason: .waiting, condition: WorkCondition(time: WorkHistoryLedger.time(60))),
      at: 14)
    let run = try Self.trace(ledger)
    #expect(
      run.output == #"""
        promise  019b76da-a800-7000-8700-000000000a01
        state    pending
        kind     mail
        created  2100-01-01T00:00:00.000000Z

         start  length  what
           0 s    10 s  queued     ┄┄ 10 s ┄┄
                          at 2100-01-01T00:01:00.000000Z
           5 s          amendment       ◆
                          parked
           6 s          amendment        ◆
                          resumed, due at once
          10 s     1 s  attempt 1            ━━━━━━━━━━━×
                          session 00000aa1, retrying, 2 failures, mail 550: no mailbox
          11 s     1 s  released                        ┄┄ 1 s ┄┄┄
                          until 2100-01-01T00:00:12.000000Z
          12 s     2 s  attempt 2                                ━━━━━━━━━━━━━━━━━━━━━━━
                          session 00000aa1, waiting
        12.5 s   1.5 s    sleep                                        ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
                            until 2100-01-01T00:01:00.000000Z
          14 s     0 s  wait                                                           ┄
                          at 2100-01-01T00:01:00.000000Z

        """#)
    #expect(run.notes == "" && run.status == 0)
  }

  /// The record has the steps and the newest attempt of pending work. The session that compacts gives it back,
  /// because its session has no process.
  @Test func deletedEventsAreNoted() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.create()
    try ledger.add(WorkStarted(attempt: 1), at: 1)
    try ledger.step(StepIdentity("charge"), 1, from: 1, to: 2, "1")
    try ledger.add(WorkReleased(attempt: 1, reason: .frozen), at: 3)
    try ledger.add(WorkStarted(attempt: 2), at: 5)
    try ledger.compact(keeping: 0)
    let run = try Self.trace(ledger)
    #expect(
      run.output == #"""
        promise  019b76da-a800-7000-8700-000000000a01
        state    pending
        kind     order
        created  2100-01-01T00:00:00.000000Z

        start  length  what
          0 s     5 s  deleted events  ┄┄ 1 s ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ 3 s ┄┄
          1 s     1 s    charge                 ███████████████████████████████
                           value 1
          5 s     0 s  attempt 2                                                       ×
                         session 00000aa1, died
          5 s     0 s  released                                                        ┄
                         died

        """#)
    #expect(
      run.notes
        == "promise-ledger: Events up to position 10 were deleted. The record has 2 attempts and these finished steps: \"charge\".\n"
    )
    #expect(run.status == 0)
  }

  /// What a build does not know is shown and reported.
  @Test func unknownEventsAreFindings() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.create()
    try ledger.append([
      NewEvent(
        kind: EventKind(rawValue: 999), version: 1, time: WorkHistoryLedger.time(3),
        subject: WorkHistoryLedger.id(1), payload: [1])
    ])
    let run = try Self.trace(ledger)
    #expect(
      run.output.hasSuffix(
        #"""

        start  length  what
          0 s     3 s  queued            ┄┄ 3 s ┄┄
          3 s          unreadable event           ◆
                         unknown(999), unknown

        """#))
    #expect(
      run.notes
        == "promise-ledger: Events of a kind or version that this build does not know: 1. Update the tool.\n"
    )
    #expect(run.status == 1)
  }

  @Test func onlyWorkHasATrace() async throws {
    let ledger = try await WorkHistoryLedger()
    try ledger.createPromise(1)
    let id = WorkHistoryLedger.id(1)
    let run = try Self.trace(ledger)
    #expect(
      run.notes
        == "promise-ledger: Promise \(id) is not settled by code. Show its events with show.\n")
    #expect(run.output == "" && run.status == 2)
    try ledger.createPromise(2)
    let both = try CommandRun("trace", ledger.path, "019b76da-a800-7000-8700-000000000a")
    #expect(both.status == 3 && both.notes.contains("Several have the name"))
    #expect(try CommandRun("trace", ledger.path, "ffff").status == 3)
    let handlers = try await CompactedSampleLedger()
    let handler = try CommandRun(
      "trace", handlers.path, "8ecd4fe9-ff8f-8c34-a532-3e6ab0c3605f")
    #expect(handler.notes.hasSuffix(" is a handler. Name a promise.\n") && handler.status == 2)
  }

  @Test(arguments: [
    [], ["4b", "--width", "39"], ["4b", "--width", "1001"], ["4b", "--key", "a"],
  ])
  func invalidOptionsAreUsageErrors(options: [String]) throws {
    let run = try CommandRun(["trace", "/nowhere"] + options)
    #expect(run.status == 2 && run.output == "")
  }
}
