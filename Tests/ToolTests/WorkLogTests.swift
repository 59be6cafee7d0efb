import PromiseLedger
import Testing

/// Events of work in the words of the log. Nothing replays them here, so they may be about anything.
@Suite(.timeLimit(.minutes(10)))
struct WorkLogTests {
  private static let promise = PromiseID(entityID: EntityID(high: 7, low: 0xABCD_EF01))

  private static func options() throws -> WorkOptions {
    WorkOptions(
      priority: 2, lane: try WorkLane("mail", width: 3),
      retryPolicy: try WorkRetryPolicy(failureLimit: 5, givingUp: .park),
      attemptTimeout: .seconds(9), givesUpAfter: Timestamp(nanosecondsSinceEpoch: 1_000_000_000))
  }

  private static func events() throws -> [(any EventPayload, words: String)] {
    let failure = StoredError(domain: "shop", code: 402, message: "no money")
    let arguments = try StoredArguments([
      StoredArgument(name: "order", typeTag: "int", payload: Array("7".utf8))
    ])
    return [
      (WorkStarted(attempt: 3), "attempt 3"),
      (
        WorkReleased(
          attempt: 3, reason: .retrying, failureCount: 2,
          retryTime: Timestamp(nanosecondsSinceEpoch: 5_000_000_000), error: failure),
        "attempt 3, retrying, next attempt at 1970-01-01T00:00:05.000000Z, 2 failures, shop 402 \"no money\""
      ),
      (WorkReleased(attempt: 4, reason: .notRunnable), "attempt 4, not runnable"),
      (
        WorkReleased(
          attempt: 4, reason: .waiting,
          condition: WorkCondition(
            time: Timestamp(nanosecondsSinceEpoch: 5_000_000_000), promises: [promise]),
          stepFailures: [
            WorkReleased.StepFailures(StepIdentity("ship"), count: 1),
            WorkReleased.StepFailures(StepIdentity("mail", .key("a b")), count: 2),
          ],
          error: failure),
        "attempt 4, waiting, due at 1970-01-01T00:00:05.000000Z, after promise abcdef01, step \"ship\" failed once, step \"mail[a b]\" failed 2 times, shop 402 \"no money\""
      ),
      (
        WorkStepFinished(
          attempt: 2, step: StepIdentity("charge", .occurrence(2)), outcome: .value,
          failureCount: 1, startedAt: Timestamp(nanosecondsSinceEpoch: 0), typeTag: "int",
          effects: [DecidedEffect(.createPromise, .done, on: promise.entityID)],
          result: Array("7".utf8)),
        "attempt 2, step \"charge#2\", value, 1 failure, type int, 7, create promise abcdef01 done"
      ),
      (
        WorkStepFinished(
          attempt: 2, step: StepIdentity("ship"), outcome: .failure,
          startedAt: Timestamp(nanosecondsSinceEpoch: 0), result: failure.encoded),
        "attempt 2, step \"ship\", failure, shop 402 \"no money\""
      ),
      (
        WorkStepFinished(
          attempt: 2, step: StepIdentity("ship"), outcome: .cancelled,
          startedAt: Timestamp(nanosecondsSinceEpoch: 0), result: Array("no need".utf8)),
        "attempt 2, step \"ship\", cancelled, \"no need\""
      ),
      (WorkCancelRequested(reason: "no longer wanted"), "reason \"no longer wanted\""),
      (
        WorkAmended(
          parking: .resumed, trigger: .after(promise, .failed), options: try options(),
          arguments: try ArgumentSet(checking: arguments, references: .none)),
        "resumed, after promise abcdef01, if it fails, priority 2, lane \"mail\", 3 at once, 9.0 seconds an attempt, given up after 1970-01-01T00:00:01.000000Z, retried after up to 5 failures, then park, order: 7 (int)"
      ),
      (
        WorkAmended(trigger: .now, options: WorkOptions(), arguments: ArgumentSet.none),
        "due at once, default options, no arguments"
      ),
      (
        PromiseCreated(
          typeTag: "void", lifetime: .untilSettled, parent: promise,
          source: .work(.init(kind: "ship", trigger: .at(Timestamp(nanosecondsSinceEpoch: 0))))),
        "type void, until it is settled, parent abcdef01, kind \"ship\", due at 1970-01-01T00:00:00.000000Z"
      ),
      (
        PromiseResolved(
          outcome: .rejected, resolvedAt: Timestamp(nanosecondsSinceEpoch: 0), attempt: 2,
          content: PromiseResolved.content(
            effects: [DecidedEffect(.createPromise, .done, on: promise.entityID)],
            then: failure.encoded)),
        "rejected, attempt 2, shop 402 \"no money\", create promise abcdef01 done"
      ),
    ]
  }

  @Test func eventsOfWorkAreShownInWords() async throws {
    for (payload, words) in try Self.events() {
      let sample = try await SampleLedger()
      try await sample.append(
        type(of: payload).kind, payload: payload.encoded, version: payload.version)
      let run = try CommandRun("log", sample.path, "--after", "18", "--limit", "1")
      #expect(run.output.hasSuffix("  \(words)\n"), "\(run.output)")
      #expect(run.notes == "")
      #expect(run.status == 0)
    }
  }

  @Test func jsonSaysWhatChanges() async throws {
    let events: [(payload: any EventPayload, members: String)] = [
      (
        WorkReleased(attempt: 1, reason: .frozen, awaited: [Self.promise]),
        #""awaited":["\#(Self.promise)"]"#
      ),
      (
        WorkAmended(parking: .resumed, trigger: .now),
        #""hasArguments":false,"hasOptions":false,"parking":"resumed","trigger":"now""#
      ),
      (
        WorkAmended(options: WorkOptions(), arguments: ArgumentSet.none),
        #""hasArguments":true,"hasOptions":true"#
      ),
    ]
    for (payload, members) in events {
      let sample = try await SampleLedger()
      try await sample.append(
        type(of: payload).kind, payload: payload.encoded, version: payload.version)
      let run = try CommandRun(
        "log", sample.path, "--after", "18", "--limit", "1", "--format", "jsonl")
      #expect(run.output.contains(members), "\(run.output)")
      #expect(run.notes == "" && run.status == 0)
    }
  }
}
