import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// Payloads of the events of work as the file format has them, worked out by hand.
@Suite(.timeLimit(.minutes(10))) struct GoldenWorkPayloadTests {
  typealias Golden = GoldenPayloadTests.Golden

  private static let promise = GoldenHandlerPayloadTests.promise
  private static let promiseHex = GoldenHandlerPayloadTests.promiseHex
  private static let noOptionsHex = "00 00 0000 00000000"

  private static func everyOption() throws -> WorkOptions {
    WorkOptions(
      priority: -2, lane: try WorkLane("l", width: 3),
      retryPolicy: try WorkRetryPolicy(
        failureLimit: nil, firstDelay: .nanoseconds(4), longestDelay: .nanoseconds(5), factor: 1.5,
        givingUp: .park),
      attemptTimeout: .nanoseconds(6), givesUpAfter: .at(7))
  }

  private static let everyOptionHex =
    "0f fe 0300 00000000 0600000000000000 0700000000000000"
    + "00000000 01 000000 0400000000000000 0500000000000000 96000000 00000000" + "0100 6c"

  @Test func aPromiseUntilItIsSettledIsOfVersion2() throws {
    let golden = Golden(
      PromiseCreated(typeTag: "t", lifetime: .untilSettled), "10 00 0000 01 00 0000", "0100 74")
    try golden.check()
    golden.checkLengths()
    #expect(golden.payload.version == 2)
    #expect(PromiseCreated(typeTag: "t").version == 1)
  }

  @Test func workIsAsSpecified() throws {
    let goldens = [
      Golden(
        PromiseCreated(typeTag: "t", source: .work(.init(kind: "k"))),
        "10 00 0000 00 01 0000", "0100 74", "0100 6b", "00 00 000000000000", Self.noOptionsHex,
        "0000 0000", "0000"),
      Golden(
        PromiseCreated(
          typeTag: "t", lifetime: .untilSettled,
          source: .work(
            .init(
              kind: "k", trigger: .at(.at(9)),
              references: GoldenHandlerPayloadTests.references,
              arguments: try GoldenHandlerPayloadTests.arguments()))),
        "10 00 0000 01 01 0000", "0100 74", "0100 6b", "01 00 000000000000 0900000000000000",
        Self.noOptionsHex, GoldenHandlerPayloadTests.referencesHex,
        GoldenHandlerPayloadTests.argumentsHex),
      Golden(
        PromiseCreated(
          typeTag: "t", key: "x", label: "é", tags: ["a"], deadline: .at(8), idempotencyKey: "i",
          parent: Self.promise,
          source: .work(
            .init(
              kind: "k", trigger: .after(Self.promise, .any), options: try Self.everyOption(),
              arguments: nil))),
        "7f 00 0100 00 01 0000 0800000000000000", "0100 74", "0100 78", "0200 c3a9", "0100 69",
        "0100 61", Self.promiseHex, "0100 6b", "02 02 000000000000", Self.promiseHex,
        Self.everyOptionHex, "0000 0000"),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
      #expect(golden.payload.version == 2)
    }
  }

  @Test func aJointIsAsSpecified() throws {
    let golden = Golden(
      PromiseCreated(
        typeTag: "t", lifetime: .untilSettled,
        source: .joint(.init(.any, of: [Self.promise, Self.promise], depth: 3))),
      "10 00 0000 01 02 0000", "0100 74", "02 03 0200 00000000", Self.promiseHex, Self.promiseHex)
    try golden.check()
    golden.checkLengths()
    #expect(golden.payload.version == 2)
    #expect(PromiseResolved.jointContent(by: Self.promise) == [UInt8](hex: Self.promiseHex))
    #expect(PromiseResolved.jointContent(by: nil).isEmpty)
  }

  @Test(arguments: [
    // An unknown rule, too many levels, a race of none, an input too few, one too many.
    "04 00 0000 00000000", "00 09 0000 00000000", "03 00 0000 00000000", "00 00 0100 00000000",
    "00 00 0000 00000000" + promiseHex, "00 00 4100 00000000" + promiseHex,
  ])
  func aJointThatCannotBeIsCorrupt(hex: String) {
    let error = #expect(throws: LedgerError.self) {
      try PromiseCreated(decoding: [UInt8](hex: "10 00 0000 01 02 0000 0100 74" + hex))
    }
    #expect(error?.code == .corrupt)
  }

  @Test func theOutcomeOfAnAttemptIsAsSpecified() throws {
    let effect = DecidedEffect(.createPromise, .exists, on: Self.promise.entityID)
    let content = PromiseResolved.content(effects: [effect], then: [0xAB])
    let golden = Golden(
      PromiseResolved(outcome: .fulfilled, resolvedAt: .at(9), attempt: 2, content: content),
      "04 00 000000000000 0900000000000000", "02000000", "01000000", "03 05 000000000000",
      Self.promiseHex, "ab")
    try golden.check()
    #expect(golden.payload.version == 2)
    let taken = try PromiseResolved.outcome(ofAttempt: content)
    #expect(taken.effects == [effect])
    #expect(taken.value == [0xAB])
    #expect(throws: LedgerError.self) { try PromiseResolved.outcome(ofAttempt: [1, 0, 0, 0]) }
  }

  @Test func workStartedIsAsSpecified() throws {
    let golden = Golden(WorkStarted(attempt: 3), "03000000 00000000")
    try golden.check()
    golden.checkLengths()
    #expect(throws: LedgerError.self) {
      try WorkStarted(decoding: [UInt8](hex: "00000000 00000000"))
    }
  }

  @Test func workReleasedIsAsSpecified() throws {
    let error = StoredError(domain: "d", message: "m")
    let died = Golden(
      WorkReleased(attempt: 2, reason: .died), "02 00 0000 02000000 00000000 00000000")
    let retrying = Golden(
      WorkReleased(
        attempt: 1, reason: .retrying, failureCount: 2, retryTime: .at(9), error: error),
      "05 01 0000 01000000 02000000 00000000 0900000000000000",
      "00 00000000000000 0100 64 01000000 6d")
    let parked = Golden(
      WorkReleased(attempt: 7, reason: .parked, failureCount: 1, error: error),
      "06 01 0000 07000000 01000000 00000000", "00 00000000000000 0100 64 01000000 6d")
    let waiting = Golden(
      WorkReleased(
        attempt: 1, reason: .waiting,
        condition: WorkCondition(time: .at(9), promises: [Self.promise]),
        stepFailures: [
          WorkReleased.StepFailures(StepIdentity("s"), count: 2),
          WorkReleased.StepFailures(StepIdentity("t", .key("k")), count: 1),
        ],
        error: error),
      "07 03 0000 01000000 00000000 00000000", "03 00 01 01 00000000 0900000000000000",
      Self.promiseHex, "02000000 02000000 01000000 0100 73 01000000 00000000 0100 74 0100 6b",
      "00 00000000000000 0100 64 01000000 6d")
    let other = PromiseID(entityID: EntityID(high: 0, low: 1))
    let awaiting = Golden(
      WorkReleased(
        attempt: 1, reason: .waiting, condition: WorkCondition(time: .at(9)),
        awaited: [other, Self.promise], error: error),
      "07 05 0000 01000000 00000000 00000000", "03 00 01 00 00000000 0900000000000000",
      "02000000 00000000000000000000000000000001", Self.promiseHex,
      "00 00000000000000 0100 64 01000000 6d")
    for hex in ["00000000", "02000000" + Self.promiseHex + Self.promiseHex] {
      #expect(throws: LedgerError.self) {
        try WorkReleased(
          decoding: [UInt8](hex: "00 04 0000 01000000 00000000 00000000" + hex))
      }
    }
    for golden in [died, retrying, parked, waiting, awaiting] {
      try golden.check()
      golden.checkLengths()
    }
  }

  @Test func workStepFinishedIsAsSpecified() throws {
    let effect = DecidedEffect(.createPromise, .exists, on: Self.promise.entityID)
    let value = WorkStepFinished(
      attempt: 2, step: StepIdentity("s", .occurrence(3)), outcome: .value, failureCount: 1,
      startedAt: .at(9), typeTag: "t", effects: [effect], result: [0xAB])
    var detached = value
    detached.detachContent()
    let head = "02000000 01000000 00000000 0900000000000000 03000000 0100 73 0100 74"
    let goldens = [
      Golden(value, "00 00 0000", head, "01000000 03 05 000000000000", Self.promiseHex, "ab"),
      Golden(detached, "01 00 0000", head),
      Golden(
        WorkStepFinished(
          attempt: 1, step: StepIdentity("s", .key("k")), outcome: .cancelled, startedAt: .at(0),
          result: Array("no".utf8)),
        "00 02 0000 01000000 00000000 00000000 0000000000000000 00000000 0100 73 0100 6b 0000",
        "00000000 6e6f"),
    ]
    for golden in goldens { try golden.check() }
    goldens[1].checkLengths()
  }

  @Test func aTriggerWithSeveralPromisesIsAsSpecified() throws {
    let other = PromiseID(entityID: EntityID(high: 0, low: 1))
    let trigger = WorkTrigger.firstOf(WorkCondition(promises: [Self.promise, other]))
    let golden = Golden(
      WorkAmended(trigger: trigger), "02 00 000000000000", "03 00 00 02 00000000",
      "00000000000000000000000000000001", Self.promiseHex)
    try golden.check()
    golden.checkLengths()
    let damaged = [
      "03 00 00 00 00000000", "03 00 00 02 00000000" + Self.promiseHex + Self.promiseHex,
      // Parts that only another kind has.
      "00 01 00 00 00000000", "00 00 01 00 00000000", "01 00 00 01 00000000 0900000000000000",
      "02 00 01 00 00000000" + Self.promiseHex, "03 01 00 01 00000000" + Self.promiseHex,
      "03 00 02 01 00000000" + Self.promiseHex,
    ]
    for hex in damaged {
      #expect(throws: LedgerError.self) {
        try WorkAmended(decoding: [UInt8](hex: "02 00 000000000000" + hex))
      }
    }
  }

  @Test func workCancelRequestedIsAsSpecified() throws {
    let golden = Golden(WorkCancelRequested(reason: "no"), "0200 6e6f")
    try golden.check()
    golden.checkLengths()
  }

  @Test func workAmendedIsAsSpecified() throws {
    let arguments = try ArgumentSet(
      checking: GoldenHandlerPayloadTests.arguments(),
      references: GoldenHandlerPayloadTests.references)
    var detached = WorkAmended(arguments: arguments)
    detached.detachContent()
    let goldens = [
      Golden(WorkAmended(), "00 00 000000000000"),
      Golden(WorkAmended(parking: .parked), "00 01 000000000000"),
      Golden(
        WorkAmended(
          parking: .resumed, trigger: .now, options: try Self.everyOption(), arguments: arguments),
        "0e 02 000000000000", "00 00 000000000000", Self.everyOptionHex,
        GoldenHandlerPayloadTests.referencesHex, GoldenHandlerPayloadTests.argumentsHex),
      Golden(detached, "09 00 000000000000", GoldenHandlerPayloadTests.referencesHex),
    ]
    for golden in goldens {
      try golden.check()
      golden.checkLengths()
    }
  }

  /// They stand in keys of lists, which have a maximum size.
  @Test func aKindOrALaneThatIsTooLongIsCorrupt() throws {
    for count in [128, 129] {
      let name = String(repeating: "n", count: count)
      let kind = PromiseCreated(typeTag: "t", source: .work(.init(kind: name)))
      let lane = WorkAmended(options: WorkOptions(lane: WorkLane(storedName: name, width: 1)))
      #expect(((try? PromiseCreated(decoding: kind.encoded)) != nil) == (count == 128))
      #expect(((try? WorkAmended(decoding: lane.encoded)) != nil) == (count == 128))
    }
  }

  @Test func anUnknownFlagOfAnOutcomeIsCorrupt() throws {
    let hex = "08 00 000000000000 0900000000000000"
    #expect(!PromiseResolved.isWellFormed([UInt8](hex: hex)))
    #expect(throws: LedgerError.self) { try PromiseResolved(decoding: [UInt8](hex: hex)) }
  }

  @Test(arguments: [
    "90 00 0000 00 00 0000 0100 74", "20 00 0000 00 00 0000 0100 74",
    "10 00 0000 02 00 0000 0100 74", "10 00 0000 00 02 0000 0100 74",
    // What version 1 can say; arguments beside the event of a promise without code.
    "10 00 0000 00 00 0000 0100 74", "50 00 0000 01 00 0000 0100 74",
    "80 00 0000 00 00 0000 0100 74",
    // A kind without a name, and one with a zero byte.
    "10 00 0000 00 01 0000 0100 74 0000 0000000000000000 0000000000000000 0000 0000 0000",
    "10 00 0000 00 01 0000 0100 74 0100 00 0000000000000000 0000000000000000 0000 0000 0000",
  ])
  func aCreationWithAnUnknownNumberIsCorrupt(hex: String) {
    let error = #expect(throws: LedgerError.self) {
      try PromiseCreated(decoding: [UInt8](hex: hex))
    }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: [
    // A lane without a width, a width without a lane, an unknown option.
    "01 00 0000 00000000 0100 6c", "00 00 0100 00000000", "10 00 0000 00000000",
    // A lane without a name, one with a zero byte, an attempt that may take no time.
    "01 00 0100 00000000 0000", "01 00 0100 00000000 0100 00",
    "04 00 0000 00000000 0000000000000000",
    // A policy with a factor of 0, with a first delay that is longer than the longest.
    "02 00 0000 00000000 00000000 00 000000 00 00000000000000 0100000000000000 00000000 00000000",
    "02 00 0000 00000000 00000000 00 000000 02 00000000000000 0100000000000000 64000000 00000000",
  ])
  func optionsThatCannotBeAreCorrupt(hex: String) {
    #expect(throws: LedgerError.self) {
      try WorkAmended(decoding: [UInt8](hex: "04 00 000000000000" + hex))
    }
  }
}
