import LedgerModelTestSupport
import Testing

@testable import LedgerModel

/// The records and list entries of work and joints as the file format has them, worked out by hand.
@Suite(.timeLimit(.minutes(10))) struct GoldenWorkRecordTests {
  private static let fact = RecordContentTests.fact
  private static let factHex = RecordContentTests.factHex
  private static let sessionHex = "0190000200017000 8000000000000001"
  private static let promise = GoldenHandlerPayloadTests.promise
  private static let promiseHex = GoldenHandlerPayloadTests.promiseHex
  private static let idHex = "0190000100017000 8000000000000001"
  /// The last position 5 at the time 9, without attachments.
  private static let createdHex = "00 0500000000000000 0900000000000000 0000"
  /// The last position 8 at the time 4.
  private static let changedHex = "00 0800000000000000 0400000000000000"
  private static let queueHex =
    "71 0800 0000000000000005 1100 00" + sessionHex

  private func promise(
    _ creation: PromiseCreated, _ progress: WorkProgress? = nil,
    _ resolution: PromiseEntity.Resolution? = nil
  ) -> PromiseEntity {
    PromiseEntity(
      id: .numbered(1), created: Self.fact, creationPayload: creation.encoded,
      resolution: resolution, closing: nil, progress: progress)
  }

  private func progress(
    attempt: UInt32 = 1, release: WorkReleased? = nil, isParked: Bool = false
  ) -> WorkProgress {
    WorkProgress(
      attempt: attempt, start: Self.fact,
      release: release.map { WorkProgress.Release(fact: Self.fact, event: $0) },
      parking: isParked ? Self.fact : nil, creationAttachmentByteCount: 0,
      lastPosition: Position(rawValue: 8), lastTime: .at(4))
  }

  private static func creation(
    _ trigger: WorkTrigger = .now, _ options: WorkOptions = WorkOptions()
  ) -> PromiseCreated {
    PromiseCreated(
      typeTag: "t", lifetime: .untilSettled,
      source: .work(.init(kind: "k", trigger: trigger, options: options)))
  }

  // MARK: Records

  @Test func workBeforeItsFirstAttemptIsAsSpecified() throws {
    let options = WorkOptions(priority: -2, lane: try WorkLane("l", width: 3))
    try RecordContentTests.expect(
      .promise(promise(Self.creation(.at(.at(9)), options))), Self.createdHex, "0300",
      "6c 0b00 6c 00 01 0000000000000005 1200 0300 01 00 000000000000 0900000000000000",
      Self.queueHex, "74 0a00 6b 00 8000000000000009 0c00 fe 0500000000000000 0100 6c",
      "00", Self.factHex, "2f00 10 00 0000 01 01 0000 0100 74 0100 6b",
      "01 00 000000000000 0900000000000000 01 fe 0300 00000000 0100 6c 0000 0000 0000")
  }

  @Test func workWhoseCodeWaitsIsAsSpecified() throws {
    var creation = Self.creation()
    creation.detachContent()
    let condition = WorkCondition(time: .at(9), promises: [Self.promise])
    let finished = WorkStepFinished(
      attempt: 1, step: StepIdentity("s"), outcome: .value, startedAt: .at(9), typeTag: "t",
      result: [0xAB])
    let progress = WorkProgress(
      attempt: 2, start: Self.fact,
      release: .init(
        fact: Self.fact,
        event: WorkReleased(
          attempt: 2, reason: .waiting, condition: condition, awaited: [Self.promise])),
      failureCount: 1, deathCount: 2, hasWaited: true, awaited: [Self.promise],
      steps: [
        WorkStep(fact: Self.fact, finished, payload: finished.encoded, attachmentByteCount: 0)
      ],
      stepFailures: [.init(StepIdentity("u"), count: 2)], creationAttachmentByteCount: 5_000,
      lastPosition: Position(rawValue: 8), lastTime: .at(4))
    let conditionHex = "03 00 01 01 00000000 0900000000000000" + Self.promiseHex
    try RecordContentTests.expect(
      .promise(promise(creation, progress)), Self.changedHex, "0100 0500000000000000 88130000",
      "0300", "61 1100", Self.promiseHex, "02 0e00 00 0500000000000000 0100 6b 0000",
      Self.queueHex, "74 0a00 6b 00 8000000000000009 0b00 00 0500000000000000 0000",
      "08", Self.factHex, "2200 50 00 0000 01 01 0000 0100 74 0100 6b",
      "00 00 000000000000 00 00 0000 00000000 0000 0000",
      "83 03 0000 02000000 01000000 02000000 88130000 00000000",
      "0800000000000000 0400000000000000", Self.factHex, Self.factHex,
      "4400 07 04 0000 02000000 00000000 00000000", conditionHex, "01000000", Self.promiseHex,
      "01000000", Self.promiseHex, "01000000", Self.factHex, "00000000",
      "2700 00 00 0000 01000000 00000000 00000000 0900000000000000 01000000 0100 73 0100 74",
      "00000000 ab", "01000000 02000000 01000000 0100 75")
  }

  @Test func parkedAndAmendedWorkIsAsSpecified() throws {
    let creation = PromiseCreated(
      typeTag: "t", parent: Self.promise, source: .work(.init(kind: "k")))
    let progress = WorkProgress(
      attempt: 1, start: Self.fact,
      release: .init(
        fact: Self.fact, event: WorkReleased(attempt: 1, reason: .parked, failureCount: 1)),
      failureCount: 1, cancelRequest: .init(fact: Self.fact, reason: "no"), parking: Self.fact,
      trigger: .now, options: WorkOptions(priority: 1),
      arguments: BoundArguments(
        arguments: .inline(.none), references: .none, position: Position(rawValue: 7)),
      creationAttachmentByteCount: 0, lastPosition: Position(rawValue: 8), lastTime: .at(4))
    try RecordContentTests.expect(
      .promise(promise(creation, progress)), Self.changedHex, "0000", "0300",
      "66 0800 0000000000000005 0100 6b", "6b 1000", Self.promiseHex, "0000", Self.queueHex,
      "08", Self.factHex, "3400 30 00 0000 00 01 0000 0100 74", Self.promiseHex,
      "0100 6b 00 00 000000000000 00 00 0000 00000000 0000 0000 0000",
      "7f 00 0000 01000000 01000000 00000000 00000000 00000000",
      "0800000000000000 0400000000000000", Self.factHex, Self.factHex,
      "1000 06 00 0000 01000000 01000000 00000000", Self.factHex, "0200 6e6f", Self.factHex,
      "00 00 000000000000 00 01 0000 00000000", "0700000000000000 0000 0000 00 02000000 0000")
  }

  @Test func aJointIsAsSpecified() throws {
    let creation = PromiseCreated(
      typeTag: "t", lifetime: .untilSettled,
      source: .joint(.init(.any, of: [Self.promise, Self.promise])))
    try RecordContentTests.expect(
      .promise(promise(creation)), Self.createdHex, "0200", "6a 1000", Self.promiseHex, "0000",
      Self.queueHex, "00", Self.factHex,
      "3300 10 00 0000 01 02 0000 0100 74 02 00 0200 00000000", Self.promiseHex, Self.promiseHex)
  }

  // MARK: Lists

  private func expect(_ promise: PromiseEntity, _ entries: [(key: String, value: String)]) {
    let found = LedgerEntity.promise(promise).openEntries
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(found.map(\.key.hex) == entries.map { [UInt8](hex: $0.key + Self.idHex).hex })
    #expect(found.map(\.value.hex) == entries.map { [UInt8](hex: $0.value).hex })
  }

  private static let queued = (key: "71 0000000000000005", value: "00" + sessionHex)

  @Test func entriesOfWorkAreAsSpecified() throws {
    let options = WorkOptions(priority: 1, lane: try WorkLane("é", width: 2))
    expect(
      promise(Self.creation(.now, options)),
      [
        ("6c c3a9 00 01 0000000000000005", "0200 00 00 000000000000"),
        // A minute before its creation.
        ("6e 6b 00 7ffffff207b8a809", "01 0500000000000000 0200 c3a9"),
        Self.queued,
      ])
    expect(
      promise(Self.creation(.after(Self.promise, .failed))),
      [
        ("61" + Self.promiseHex + "01", "00 0500000000000000 0100 6b 0000"),
        Self.queued,
      ])
    expect(
      promise(Self.creation(.now, options), progress()),
      [
        ("6c c3a9 00 00 0000000000000005", "0200 01"), Self.queued,
        ("72" + Self.sessionHex, ""),
      ])
    let cancelled = WorkReleased(attempt: 1, reason: .cancelled)
    expect(
      promise(Self.creation(), progress(release: cancelled)),
      [("6e 6b 00 8000000000000009", "00 0500000000000000 0000"), Self.queued])
  }

  @Test func entriesOfSettledPromisesAreAsSpecified() throws {
    let resolved = PromiseResolved(outcome: .fulfilled, resolvedAt: .at(7), content: [1])
    let resolution = PromiseEntity.Resolution(
      fact: Self.fact, payload: resolved.encoded, attachmentByteCount: 0)
    expect(
      promise(Self.creation(), progress(), resolution),
      [("78 0000000000000005", "0900000000000000")])
    let child = PromiseCreated(typeTag: "t", lifetime: .untilSettled, parent: Self.promise)
    expect(
      promise(child, nil, resolution),
      [("78 0000000000000005", "0900000000000000 0000000000000000" + Self.promiseHex)])
    expect(
      promise(PromiseCreated(typeTag: "t", source: .work(.init(kind: "k"))), nil, resolution),
      [("71 0000000000000005", "01" + Self.sessionHex)])
  }

  /// The largest entry that there can be.
  @Test func workOfALaneThatWaitsForTheMostPromisesHasARecord() throws {
    let promises = (1...WorkCondition.maximumPromiseCount).map(PromiseID.numbered)
    let condition = WorkCondition(time: .at(9), promises: promises)
    let name = String(repeating: "l", count: WorkLane.maximumNameByteCount)
    let kind = String(repeating: "k", count: 128)
    let entity = LedgerEntity.promise(
      promise(
        PromiseCreated(
          typeTag: "t", lifetime: .untilSettled,
          source: .work(
            .init(
              kind: kind, trigger: .firstOf(condition),
              options: WorkOptions(lane: try WorkLane(name)))))))
    let decoded = try LedgerEntity(type: entity.type, id: entity.id, content: entity.content)
    #expect(decoded == entity)
  }

  /// There is no attempt after it.
  @Test func workInItsLastAttemptIsCorrupt() throws {
    for (attempt, isSound) in [(UInt32.max - 1, true), (UInt32.max, false)] {
      let entity = LedgerEntity.promise(promise(Self.creation(), progress(attempt: attempt)))
      let decoded = try? LedgerEntity(type: entity.type, id: entity.id, content: entity.content)
      #expect((decoded != nil) == isSound)
    }
  }
}
